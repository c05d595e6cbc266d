package io.faultline.agent.command;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.agent.verify.BadRegion;
import io.faultline.agent.verify.Report;
import io.faultline.agent.verify.Verification;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verify PATH}: the second opinion on a verdict, and the check of a disk before it goes back into service. */
@Command(
        name = "verify",
        description = {
            "Reads files again, past the page cache where that can be done, and names what cannot be read.",
            "For segments of Kafka it names the partition and the offsets too."
        },
        footer =
                "Exit code: 0 everything could be read, 3 something cannot be read, 1 something could not be looked at, 2 wrong use.",
        mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {

    private static final int READABLE = 0;
    private static final int NOT_LOOKED_AT = 1;
    private static final int UNREADABLE = 3;
    private static final long MEBI = 1L << 20;

    @Parameters(index = "0", paramLabel = "PATH", description = "A file, or a directory with everything below it.")
    private Path path;

    @Option(
            names = "--rate",
            paramLabel = "MiB/s",
            description = "How much to read per second at most; default: no limit.")
    private int rate;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (rate < 0) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--rate=" + rate + ": accepted is a number of MiB per second, 0 for no limit");
        }
        Report report;
        try {
            report = Verification.of(path, rate * MEBI, region -> {
                if (!json) {
                    System.out.println(region);
                }
            });
        } catch (NoSuchFileException nothing) {
            throw new IOException("there is no " + path);
        }
        if (json) {
            System.out.println(JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(facts(report)));
        } else {
            report.notLookedAt().forEach(problem -> System.err.println("could not be looked at: " + problem));
            System.out.println(summary(report));
        }
        if (!report.bad().isEmpty()) {
            return UNREADABLE;
        }
        return report.notLookedAt().isEmpty() ? READABLE : NOT_LOOKED_AT;
    }

    private static String summary(Report report) {
        long badFiles = report.bad().stream().map(BadRegion::file).distinct().count();
        long badBytes = report.bad().stream().mapToLong(BadRegion::count).sum();
        return report.files() + " files, " + report.bytes() + " bytes read"
                + (badFiles == 0
                        ? ", all of it readable"
                        : "; " + badBytes + " bytes of " + badFiles + " files cannot be read")
                + (report.cached() == 0
                        ? ""
                        : " (" + report.cached()
                                + " files through the page cache only, so a disk that fails below may not show)");
    }

    private static Map<String, Object> facts(Report report) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("path", report.path().toString());
        facts.put("readable", report.bad().isEmpty());
        facts.put("files", report.files());
        facts.put("bytes", report.bytes());
        facts.put("throughPageCache", report.cached());
        facts.put("bad", report.bad().stream().map(VerifyCommand::facts).toList());
        facts.put("notLookedAt", report.notLookedAt());
        return facts;
    }

    private static Map<String, Object> facts(BadRegion region) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("file", region.file().toString());
        facts.put("position", region.position());
        facts.put("count", region.count());
        facts.put("error", region.error());
        if (region.records() != null) {
            facts.put("partition", region.records().partition());
            facts.put("firstOffset", region.records().first());
            if (region.records().last() >= 0) {
                facts.put("lastOffset", region.records().last());
            }
        }
        return facts;
    }
}
