package io.faultline.bench.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes the table of figures of a document from results. */
@Command(
        name = "figures",
        description = "Writes the table of figures of a Markdown document, between its two markers, from results.",
        mixinStandardHelpOptions = true)
public final class Figures implements Callable<Integer> {

    @Parameters(paramLabel = "DOCUMENT", description = "The document, such as README.md.")
    private Path document;

    @Option(
            names = "--results",
            paramLabel = "DIRECTORY",
            defaultValue = "bench/results",
            description = "Where the results are, as NAME.json; ${DEFAULT-VALUE} by default.")
    private Path results;

    /** Made by the command line. */
    public Figures() {}

    @Override
    public Integer call() throws IOException {
        FiguresTable table = FiguresTable.of(results);
        Files.writeString(document, table.putInto(Files.readString(document)));
        System.out.println(document + " has the figures of " + String.join(", ", table.experiments()));
        return 0;
    }
}
