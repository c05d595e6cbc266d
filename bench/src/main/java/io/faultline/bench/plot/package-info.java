/** Draws what experiments have written as JSON. */
package io.faultline.bench.plot;
