/** How fast a region is read again, which is what a verdict waits for. */
package io.faultline.bench.reread;
