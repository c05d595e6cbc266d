/**
 * Disks that really fail, for tests and demonstrations on one Linux machine, with the errors of the real kernel paths.
 *
 * <ul>
 *   <li>{@link io.faultline.disk.FailingDisk}: single blocks that cannot be read and can be healed again.
 *   <li>{@link io.faultline.disk.TruncatedDisk}: a device that ends too early; nothing past its end is read or written.
 *   <li>{@link io.faultline.disk.HungDisk}: a disk that stops answering, or vanishes.
 * </ul>
 *
 * <p>The disks know no test framework. {@link io.faultline.disk.NeedsFailingDisk} and its siblings hand them to JUnit
 * tests; {@link io.faultline.disk.DiskTools} names what a machine lacks for them.
 */
package io.faultline.disk;
