package io.faultline.bench.startup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The classes of a host's own that its JVM loaded, as its log has it.
 *
 * @param archived those that came out of an archive
 * @param all those from anywhere
 */
record LoadedClasses(long archived, long all) {

    /** Hidden classes, such as those behind lambdas, have names that no two runs share; they are left out. */
    private static final Pattern LOADED = Pattern.compile("([\\w.$]+) source: (.*)");

    private static final List<String> HOSTS = List.of("io.faultline.broker.", "org.apache.kafka.");
    private static final String ARCHIVE = "shared objects file";
    private static final double PERCENT = 100;

    /** The options that make a JVM write such a log. */
    static String option(Path log) {
        return "-Xlog:class+load=info:file=" + log + ":none:filecount=0";
    }

    /** Reads a log. */
    static LoadedClasses of(Path log) throws IOException {
        long archived = 0;
        long all = 0;
        for (String line : Files.readAllLines(log)) {
            Matcher loaded = LOADED.matcher(line);
            if (loaded.matches() && HOSTS.stream().anyMatch(loaded.group(1)::startsWith)) {
                all++;
                archived += loaded.group(2).startsWith(ARCHIVE) ? 1 : 0;
            }
        }
        return new LoadedClasses(archived, all);
    }

    /** Which part came out of the archive, in percent. */
    double percentArchived() {
        return PERCENT * archived / Math.max(1, all);
    }
}
