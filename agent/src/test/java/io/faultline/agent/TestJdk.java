package io.faultline.agent;

import java.nio.file.Path;

/** The JDK that host processes run on: the one that {@code faultline.test.java.home} names, else the one that runs the tests. */
final class TestJdk {

    private static final Path HOME =
            Path.of(System.getProperty("faultline.test.java.home", System.getProperty("java.home")));

    private TestJdk() {}

    static String tool(String name) {
        return HOME.resolve("bin").resolve(name).toString();
    }

    /** The feature version, such as 17. */
    static int feature() {
        return Finished.run(tool("java"), "-XshowSettings:properties", "-version").err().stream()
                .map(String::strip)
                .filter(line -> line.startsWith("java.specification.version = "))
                .map(line -> Integer.parseInt(line.substring(line.indexOf('=') + 2)))
                .findFirst()
                .orElseThrow();
    }
}
