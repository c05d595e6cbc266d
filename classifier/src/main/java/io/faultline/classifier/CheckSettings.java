package io.faultline.classifier;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * What all directories' checks share.
 *
 * @param scheduler runs a directory's checks, on a thread that may block for as long as its disk does
 * @param queueCapacity how many failures of one directory may wait
 * @param bytesPerSecond how much may be re-read per second and directory
 * @param longestWait how long a failure may wait
 * @param mounts names disks
 */
record CheckSettings(
        Executor scheduler, int queueCapacity, long bytesPerSecond, Duration longestWait, MountTable mounts) {}
