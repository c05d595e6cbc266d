package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerProcess;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Kafka's own command-line tools do their work on the bundled broker: what each prints is checked, and on Apache Kafka the same checks hold, so that none of them asks for
 * something that Kafka would not say.
 */
@Command(
        name = "broker-tools",
        description = {
            "Kafka's command-line tools do on the bundled broker what they do on Apache Kafka",
            "It holds if each ends with the expected status and prints what is expected, on both."
        },
        mixinStandardHelpOptions = true)
public final class BrokerTools extends Experiment {

    private static final String TOPICS = "org.apache.kafka.tools.TopicCommand";
    private static final String CONFIGS = "org.apache.kafka.tools.ConfigCommand";
    private static final String GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
    private static final String OFFSETS = "org.apache.kafka.tools.GetOffsetShell";
    private static final String REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand";
    private static final String PRODUCER = "org.apache.kafka.tools.ConsoleProducer";
    private static final String CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer";
    private static final String LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand";
    private static final String DELETE_RECORDS = "org.apache.kafka.tools.DeleteRecordsCommand";
    private static final String ELECTION = "org.apache.kafka.tools.LeaderElectionCommand";
    private static final String API_VERSIONS = "org.apache.kafka.tools.BrokerApiVersionsCommand";
    private static final int REFUSED = 1;

    @Mixin
    private KafkaOptions kafka;

    @Option(
            names = "--beside-kafka",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Whether the same runs on Apache Kafka too; it does by default.")
    private boolean besideKafka;

    @Option(names = "--short", description = "Run each tool about once, not in all its ways.")
    private boolean brief;

    /** Made by the command line. */
    public BrokerTools() {}

    /**
     * One run of a tool, and what it has to come to.
     *
     * @param name what is done
     * @param mainClass the tool
     * @param arguments its arguments, behind those that name the server
     * @param input what it is given to read
     * @param exit how it has to end
     * @param printed patterns of what it has to print
     * @param inShort whether it is also done when each tool runs about once
     */
    private record Step(
            String name,
            String mainClass,
            List<String> arguments,
            String input,
            int exit,
            List<String> printed,
            boolean inShort) {

        private static Step of(String name, String mainClass, String arguments) {
            return new Step(
                    name,
                    mainClass,
                    Arrays.stream(arguments.split(" "))
                            .filter(word -> !word.isEmpty())
                            .toList(),
                    "",
                    0,
                    List.of(),
                    false);
        }

        private Step reading(String text) {
            return new Step(name, mainClass, arguments, text, exit, printed, inShort);
        }

        private Step isRefused() {
            return new Step(name, mainClass, arguments, input, REFUSED, printed, inShort);
        }

        private Step prints(String... patterns) {
            return new Step(name, mainClass, arguments, input, exit, List.of(patterns), inShort);
        }

        private Step alsoInShort() {
            return new Step(name, mainClass, arguments, input, exit, printed, true);
        }
    }

    /**
     * A server to run the tools on.
     *
     * @param name what it is
     * @param address host and port
     * @param directories its two log directories
     * @param folder where files for the tools may be written
     */
    private record Server(String name, String address, List<Path> directories, Path folder) {

        private Path file(String end) {
            return folder.resolve(name.replace(' ', '-') + "-" + end);
        }
    }

    private record Ended(Step step, ToolRun run) {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        kafka.describe(report);
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-broker-tools")) {
            KafkaJars jars = KafkaJars.ofTools(layout, kafka.version());
            NodeHome home = new NodeHome(layout, kafka.java(layout), jars, folder.path(), folder.path());
            List<Ended> onBroker = onBundledBroker(layout, report, home, folder);
            List<Ended> onKafka = besideKafka ? onApacheKafka(layout, report, home, folder) : List.of();
            report.table("Tools of Kafka " + kafka.version(), table(onBroker, onKafka));
        }
    }

    private List<Ended> onBundledBroker(Layout layout, Report report, NodeHome home, TemporaryFolder folder)
            throws IOException, InterruptedException {
        List<Path> directories = List.of(folder.make("bundled-a"), folder.make("bundled-b"));
        try (BrokerProcess broker = BrokerProcess.start(
                layout, List.of(), folder.path().resolve("tls"), directories.toArray(Path[]::new))) {
            return onServer(
                    report,
                    home,
                    new Server("bundled broker", broker.address("PLAINTEXT"), directories, folder.path()));
        }
    }

    private List<Ended> onApacheKafka(Layout layout, Report report, NodeHome home, TemporaryFolder folder)
            throws IOException, InterruptedException {
        List<Path> directories = List.of(folder.make("kafka-a"), folder.make("kafka-b"));
        try (KafkaCluster cluster = KafkaCluster.of(layout, kafka.version())
                .java(kafka.java(layout))
                .keepLogs(kafka.logs())
                .brokers(1)
                .logDirs(1, directories.get(0).toString(), directories.get(1).toString())
                .start()) {
            return onServer(report, home, new Server("Apache Kafka", cluster.bootstrap(), directories, folder.path()));
        }
    }

    private List<Ended> onServer(Report report, NodeHome home, Server server) throws IOException, InterruptedException {
        report.say("on the %s", server.name());
        Files.writeString(
                server.file("delete.json"),
                "{\"version\":1,\"partitions\":[{\"topic\":\"t\",\"partition\":1,\"offset\":1}]}");
        Files.writeString(
                server.file("move.json"),
                "{\"version\":1,\"partitions\":[{\"topic\":\"t\",\"partition\":1,\"replicas\":[1],\"log_dirs\":[\""
                        + server.directories().get(1) + "\"]}]}");
        List<Ended> ended = new ArrayList<>();
        for (Step step : steps(server)) {
            if (brief && !step.inShort()) {
                continue;
            }
            List<String> arguments = new ArrayList<>(List.of("--bootstrap-server", server.address()));
            arguments.addAll(step.arguments());
            ToolRun run = ToolRun.of(home, step.mainClass(), step.input(), arguments);
            ended.add(new Ended(step, run));
            String what = step.name() + " on the " + server.name();
            report.claim(run.exit() == step.exit(), what + " ends with " + step.exit() + ": " + run);
            for (String pattern : step.printed()) {
                report.claim(run.printed(pattern), what + " prints '" + pattern + "': " + run);
            }
        }
        return ended;
    }

    /** In this order: each finds what those before it left. */
    private static List<Step> steps(Server server) {
        List<Step> steps = new ArrayList<>();
        steps.addAll(topicSteps());
        steps.addAll(recordSteps());
        steps.addAll(groupSteps());
        steps.addAll(configSteps());
        steps.addAll(logDirSteps(server));
        steps.addAll(lastSteps());
        return steps;
    }

    private static List<Step> topicSteps() {
        return List.of(
                Step.of("topics --create", TOPICS, "--create --topic t --partitions 3 --config retention.ms=600000")
                        .alsoInShort()
                        .prints("^Created topic t\\.$"),
                Step.of("topics --create, again", TOPICS, "--create --topic t")
                        .isRefused()
                        .prints("Topic 't' already exists"),
                Step.of("topics --create, two replicas", TOPICS, "--create --topic two --replication-factor 2")
                        .isRefused()
                        .prints("replication factor"),
                Step.of("topics --alter", TOPICS, "--alter --topic t --partitions 4")
                        .alsoInShort(),
                Step.of("topics --alter, fewer", TOPICS, "--alter --topic t --partitions 2")
                        .isRefused()
                        .prints("InvalidPartitionsException"),
                Step.of("topics --list", TOPICS, "--list").prints("^t$"),
                Step.of("topics --describe", TOPICS, "--describe --topic t")
                        .alsoInShort()
                        .prints(
                                "PartitionCount: 4\\s+ReplicationFactor: 1\\s+Configs: .*retention.ms=600000",
                                "Topic: t\\s+Partition: 3\\s+Leader: 1\\s+Replicas: 1\\s+Isr: 1"));
    }

    private static List<Step> recordSteps() {
        String keyed = " --reader-property parse.key=true --reader-property key.separator=:";
        return List.of(
                Step.of("console-producer", PRODUCER, "--topic t --compression-codec zstd" + keyed)
                        .alsoInShort()
                        .reading("k1:v1\nk2:v2\nk3:v3\n"),
                Step.of("console-consumer", CONSUMER, "--topic t --from-beginning --max-messages 3 --group g")
                        .alsoInShort()
                        .prints("^v1$", "^v2$", "^v3$", "Processed a total of 3 messages"),
                Step.of("get-offsets", OFFSETS, "--topic t")
                        .alsoInShort()
                        .prints("^t:0:1$", "^t:1:2$", "^t:2:0$", "^t:3:0$"),
                Step.of("get-offsets --time earliest", OFFSETS, "--topic t --time earliest")
                        .prints("^t:1:0$"),
                Step.of("get-offsets --time max-timestamp", OFFSETS, "--topic t --time max-timestamp")
                        .prints("^t:0:0$"));
    }

    private static List<Step> groupSteps() {
        return List.of(
                Step.of("consumer-groups --list", GROUPS, "--list").prints("^g$"),
                Step.of("consumer-groups --describe", GROUPS, "--describe --group g")
                        .alsoInShort()
                        .prints("has no active members", "^g\\s+t\\s+1\\s+2\\s+2\\s+0\\s"),
                Step.of("consumer-groups --describe --state", GROUPS, "--describe --group g --state")
                        .prints("^g\\s+\\S+\\s+\\(1\\)\\s+\\S*\\s+Empty\\s+0"),
                Step.of("consumer-groups --describe, unknown", GROUPS, "--describe --group nobody")
                        .prints("Group nobody not found"),
                Step.of(
                                "consumer-groups --reset-offsets",
                                GROUPS,
                                "--reset-offsets --to-earliest --group g --topic t --execute")
                        .prints("^g\\s+t\\s+1\\s+0"),
                Step.of("consumer-groups --describe, after it", GROUPS, "--describe --group g")
                        .prints("^g\\s+t\\s+1\\s+0\\s+2\\s+2\\s"),
                Step.of("consumer-groups --delete-offsets", GROUPS, "--delete-offsets --group g --topic t")
                        .prints("^t\\s+1\\s+Successful"));
    }

    private static List<Step> configSteps() {
        String topic = " --entity-type topics --entity-name t";
        String broker = " --entity-type brokers --entity-name 1";
        return List.of(
                Step.of("configs --alter, a topic", CONFIGS, "--alter --add-config max.message.bytes=5000" + topic)
                        .alsoInShort()
                        .prints("Completed updating config for topic t"),
                Step.of("configs --describe, a topic", CONFIGS, "--describe" + topic)
                        .alsoInShort()
                        .prints(
                                "max.message.bytes=5000 sensitive=false synonyms=\\{DYNAMIC_TOPIC_CONFIG:max.message.bytes=5000, "
                                        + "DEFAULT_CONFIG:message.max.bytes=1048588}"),
                Step.of("configs --alter, delete", CONFIGS, "--alter --delete-config max.message.bytes" + topic)
                        .prints("Completed updating config for topic t"),
                Step.of("configs --alter, unknown", CONFIGS, "--alter --add-config no.such=1" + topic)
                        .isRefused()
                        .prints("Unknown topic config name: no.such"),
                Step.of("configs --describe, the broker", CONFIGS, "--describe --all" + broker)
                        .prints(
                                "log.dirs=\\S+ sensitive=false synonyms=\\{STATIC_BROKER_CONFIG:log.dirs=",
                                "num.io.threads="),
                Step.of(
                                "configs --alter, the broker's directories",
                                CONFIGS,
                                "--alter --add-config log.dirs=/x" + broker)
                        .isRefused()
                        .prints("InvalidRequestException"));
    }

    private static List<Step> logDirSteps(Server server) {
        return List.of(
                Step.of("log-dirs --describe", LOG_DIRS, "--describe --topic-list t")
                        .alsoInShort()
                        .prints("\"broker\":1", "\"partition\":\"t-1\",\"size\":[1-9]", "\"error\":null"),
                Step.of(
                                "reassign-partitions --execute",
                                REASSIGN,
                                "--execute --reassignment-json-file " + server.file("move.json"))
                        .alsoInShort()
                        .prints("Successfully started moving log directory to "
                                + server.directories().get(1)),
                Step.of(
                                "reassign-partitions --verify",
                                REASSIGN,
                                "--verify --reassignment-json-file " + server.file("move.json"))
                        .prints(
                                "Reassignment of partition t-1 is completed",
                                "Reassignment of replica t-1-1 completed successfully"),
                Step.of("delete-records", DELETE_RECORDS, "--offset-json-file " + server.file("delete.json"))
                        .alsoInShort()
                        .prints("partition: t-1\\s+low_watermark: 1"),
                Step.of("get-offsets --time earliest, after it", OFFSETS, "--topic t --time earliest")
                        .prints("^t:1:1$"));
    }

    private static List<Step> lastSteps() {
        return List.of(
                Step.of("leader-election", ELECTION, "--election-type preferred --all-topic-partitions"),
                Step.of("acls --list", "org.apache.kafka.tools.AclCommand", "--list")
                        .alsoInShort()
                        .isRefused()
                        .prints("SecurityDisabledException"),
                Step.of("broker-api-versions", API_VERSIONS, "")
                        .alsoInShort()
                        .prints(
                                "\\(id: 1 rack: null",
                                "Produce\\(0\\): 0 to 13 \\[usable: 13]",
                                "Fetch\\(1\\): 4 to 18 "),
                Step.of("consumer-groups --delete", GROUPS, "--delete --group g")
                        .prints("was successful"),
                Step.of("topics --delete", TOPICS, "--delete --topic t").alsoInShort(),
                Step.of("topics --delete, again", TOPICS, "--delete --topic t")
                        .isRefused()
                        .prints("Topic 't' does not exist as expected"));
    }

    private static Table table(List<Ended> onBroker, List<Ended> onKafka) {
        Table table = new Table(List.of("exit status", "lines", "lines on Apache Kafka"));
        for (int index = 0; index < onBroker.size(); index++) {
            ToolRun run = onBroker.get(index).run();
            table.row(
                    onBroker.get(index).step().name(),
                    List.of(
                            run.exit(),
                            run.output().lines().count(),
                            onKafka.isEmpty()
                                    ? "-"
                                    : onKafka.get(index).run().output().lines().count()));
        }
        return table;
    }
}
