/** From a failing send to the directory offline: how long that takes on a really failing disk, and what a storm of failing sends comes to. The sending servers are processes of their own. */
package io.faultline.bench.detection;
