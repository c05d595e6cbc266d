/** Experiments on the bundled broker, as a process of its own. */
package io.faultline.bench.broker;
