package io.faultline.bench.librdkafka;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.bench.Layout;
import io.faultline.bench.host.Trees;
import io.faultline.bench.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sources of librdkafka, with its tests, built. They come with its npm package, and stay below {@code bench/target}.
 *
 * @param folder the unpacked package
 */
record LibrdkafkaSource(Path folder) {

    private static final String PACKAGE = "@confluentinc/kafka-javascript";
    private static final List<String> TOOLS = List.of("npm", "tar", "make", "cc", "c++", "python3");
    private static final String BUILT = "built";

    private static final Pattern TEST = Pattern.compile("_TEST\\((\\w+),((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*)\\)");
    private static final Pattern SCENARIO = Pattern.compile("\\.scenario = \"(\\w+)");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern FUNCTION =
            Pattern.compile("^(?:static \\w+ )?(do_test_\\w+)\\(|^ +SUB_TEST(?:_QUICK)?\\(", Pattern.MULTILINE);

    /** One part of it needs a broker that authorizes, and ends all of it where there is none: so its parts are run one by one. */
    private static final Set<String> IN_PARTS = Set.of("0081_admin");

    /**
     * Fetches and builds a version, unless that was done before.
     *
     * @throws IllegalStateException if a tool is missing that this takes
     */
    static LibrdkafkaSource built(Layout layout, String version, Report report)
            throws IOException, InterruptedException {
        Path folder = layout.root().resolve("bench/target/librdkafka").resolve(version);
        LibrdkafkaSource source = new LibrdkafkaSource(folder.resolve("package"));
        if (!Files.exists(folder.resolve(BUILT))) {
            requireTools();
            Trees.delete(folder);
            Files.createDirectories(folder);
            report.say("fetching %s %s", PACKAGE, version);
            Command.run(folder, "npm", "pack", "--silent", PACKAGE + "@" + version);
            Command.run(folder, "sh", "-c", "tar xzf *.tgz");
            report.say("building librdkafka %s and its tests", source.version());
            Path library = source.library();
            Command.run(library, "./configure");
            String parallel = "-j" + Runtime.getRuntime().availableProcessors();
            Command.run(library, "make", parallel, "libs");
            Command.run(source.tests(), "make", parallel, "build");
            Files.createFile(folder.resolve(BUILT));
        }
        return source;
    }

    private static void requireTools() {
        String[] path = System.getenv().getOrDefault("PATH", "").split(":");
        List<String> missing = TOOLS.stream()
                .filter(tool -> Stream.of(path).noneMatch(entry -> Files.isExecutable(Path.of(entry, tool))))
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalStateException(
                    "missing to build librdkafka's tests: " + String.join(", ", missing)
                            + " (Debian: npm, build-essential, python3; libssl-dev, zlib1g-dev, libzstd-dev and rapidjson-dev let more tests run)");
        }
    }

    private Path library() {
        return folder.resolve("deps/librdkafka");
    }

    /** Where the runner is, and has to be started. */
    Path tests() {
        return library().resolve("tests");
    }

    /** The version of librdkafka. */
    String version() throws IOException {
        return String.valueOf(
                JSON.std.mapFrom(folder.resolve("package.json").toFile()).get("librdkafka"));
    }

    /** With which libraries it was built. */
    String features() throws IOException {
        Matcher built = Pattern.compile("BUILT_WITH \"([^\"]*)\"")
                .matcher(Files.readString(library().resolve("config.h")));
        return built.find() ? built.group(1) : "";
    }

    /** The tests that need a broker, in their order, as the runner itself declares them. */
    List<LibrdkafkaTest> list() throws IOException {
        String runner = Files.readString(tests().resolve("test.c"));
        List<LibrdkafkaTest> tests = new ArrayList<>();
        Matcher test = TEST.matcher(runner.substring(runner.indexOf("struct test tests[]")));
        while (test.find()) {
            String name = test.group(1);
            String details = COMMENT.matcher(test.group(2)).replaceAll("");
            Matcher scenario = SCENARIO.matcher(details);
            String wanted = scenario.find() ? scenario.group(1) : "default";
            if (!details.contains("TEST_F_LOCAL") && !details.contains("TEST_F_MANUAL")) {
                for (String part : parts(name)) {
                    tests.add(new LibrdkafkaTest(name, part, wanted));
                }
            }
        }
        return tests;
    }

    private List<String> parts(String name) throws IOException {
        if (!IN_PARTS.contains(name)) {
            List<String> whole = new ArrayList<>();
            whole.add(null);
            return whole;
        }
        Set<String> parts = new LinkedHashSet<>();
        String last = "";
        Matcher found = FUNCTION.matcher(Files.readString(tests().resolve(name.replace('_', '-') + ".c")));
        while (found.find()) {
            if (found.group(1) != null) {
                last = found.group(1);
            } else {
                parts.add(last);
            }
        }
        return List.copyOf(parts);
    }
}
