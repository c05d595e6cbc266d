package io.faultline.bench.operation;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;

/** Programs that tests need and that not every machine has. */
final class Tools {

    private Tools() {}

    /** Skips the test where a program is missing, and says what to install; with {@code CI=true} it fails. */
    static void need(String program, String debianPackage) {
        boolean there = Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        String missing = program + " is missing: apt-get install " + debianPackage;
        if (!there && "true".equals(System.getenv("CI"))) {
            throw new AssertionError(missing);
        }
        Assumptions.assumeTrue(there, missing);
    }
}
