package io.faultline.bench;

import io.faultline.bench.broker.BrokerFuzz;
import io.faultline.bench.broker.BrokerKills;
import io.faultline.bench.broker.BrokerPowerCuts;
import io.faultline.bench.broker.BrokerStart;
import io.faultline.bench.broker.OtherAgents;
import io.faultline.bench.demo.Demo;
import io.faultline.bench.detection.Detect;
import io.faultline.bench.detection.Storm;
import io.faultline.bench.kafka.BrokerTools;
import io.faultline.bench.kafka.JunitCost;
import io.faultline.bench.kafka.KafkaLastDirectory;
import io.faultline.bench.kafka.KafkaMatrix;
import io.faultline.bench.kafka.KafkaMetadata;
import io.faultline.bench.kafka.KafkaOldConsumer;
import io.faultline.bench.kafka.KafkaOneJvm;
import io.faultline.bench.kafka.KafkaSpelling;
import io.faultline.bench.kafka.KafkaTable;
import io.faultline.bench.kafka.KafkaTools;
import io.faultline.bench.kafka.KafkaTruncation;
import io.faultline.bench.librdkafka.LibrdkafkaTests;
import io.faultline.bench.outage.Outage;
import io.faultline.bench.outage.Soak;
import io.faultline.bench.outage.SpoolKills;
import io.faultline.bench.plot.Plot;
import io.faultline.bench.reread.ReRead;
import io.faultline.bench.scale.Scale;
import io.faultline.bench.startup.Startup;
import io.faultline.bench.suite.Figures;
import io.faultline.bench.suite.RunAll;
import io.faultline.bench.suite.RunCorrectness;
import io.faultline.bench.throughput.BrokerThroughput;
import io.faultline.bench.throughput.ClientThroughput;
import io.faultline.bench.throughput.KafkaThroughput;
import io.faultline.bench.transfer.FailedSend;
import io.faultline.bench.transfer.TransferOverhead;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code java -jar faultline-bench.jar}: the demo and the experiments. */
@Command(
        name = "java -jar faultline-bench.jar",
        description = "The demo, and the experiments behind the figures in the README.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true)
public final class Bench {

    private static final int WRONG_USE = 2;

    private Bench() {}

    /**
     * Runs a command and exits: 0 if everything held, 1 if something did not, 2 for wrong use.
     *
     * @param arguments the command and its arguments
     */
    public static void main(String[] arguments) {
        CommandLine line = commandLine();
        if (arguments.length == 0) {
            line.usage(System.err);
            System.exit(WRONG_USE);
        }
        System.exit(line.execute(arguments));
    }

    /** All commands. */
    static CommandLine commandLine() {
        return new CommandLine(new Bench())
                .addSubcommand(new DemoCommand())
                .addSubcommand(new ListCommand())
                .addSubcommand(new RunCommand())
                .addSubcommand(new Figures())
                .addSubcommand(new Plot())
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Command(name = "demo", description = "Shows the main job on the bundled broker.", mixinStandardHelpOptions = true)
    private static final class DemoCommand implements Callable<Integer> {

        @Option(names = "--rehearsed", description = "Rehearse the failure, even where a disk could really fail.")
        private boolean rehearsed;

        @Override
        public Integer call() throws Exception {
            return new Demo(Layout.ofThisBuild(), System.out, rehearsed).run() ? 0 : 1;
        }
    }

    @Command(name = "list", description = "Lists the experiments.", mixinStandardHelpOptions = true)
    private static final class ListCommand implements Callable<Integer> {

        @Override
        public Integer call() {
            new CommandLine(new RunCommand())
                    .getSubcommands()
                    .forEach((name, experiment) -> System.out.printf(
                            "%-18s %s%n",
                            name, experiment.getCommandSpec().usageMessage().description()[0]));
            return 0;
        }
    }

    @Command(
            name = "run",
            description = "Runs an experiment.",
            synopsisSubcommandLabel = "NAME",
            mixinStandardHelpOptions = true,
            subcommands = {
                RunAll.class,
                RunCorrectness.class,
                Startup.class,
                TransferOverhead.class,
                FailedSend.class,
                ReRead.class,
                Detect.class,
                Storm.class,
                KafkaThroughput.class,
                BrokerThroughput.class,
                ClientThroughput.class,
                Scale.class,
                KafkaTable.class,
                KafkaMatrix.class,
                KafkaSpelling.class,
                KafkaOneJvm.class,
                KafkaTruncation.class,
                KafkaTools.class,
                KafkaMetadata.class,
                KafkaLastDirectory.class,
                KafkaOldConsumer.class,
                OtherAgents.class,
                BrokerTools.class,
                BrokerKills.class,
                BrokerPowerCuts.class,
                BrokerStart.class,
                JunitCost.class,
                BrokerFuzz.class,
                Outage.class,
                Soak.class,
                SpoolKills.class,
                LibrdkafkaTests.class
            })
    private static final class RunCommand {}
}
