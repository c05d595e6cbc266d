package io.faultline.classifier;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What all directories' checks share.
 *
 * @param scheduler runs a directory's checks, on a thread that may block for as long as its disk does
 * @param queueCapacity how many failures of one directory may wait
 * @param bytesPerSecond how much may be re-read per second and directory, asked each time
 * @param longestWait how long a failure may wait
 * @param mounts names disks
 * @param observer watches re-reads
 */
record CheckSettings(
        Executor scheduler,
        int queueCapacity,
        LongSupplier bytesPerSecond,
        Duration longestWait,
        MountTable mounts,
        CheckObserver observer) {}
