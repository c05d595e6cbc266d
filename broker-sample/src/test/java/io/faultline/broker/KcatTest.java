package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KcatTest {

    private static final String LINES =
            IntStream.range(0, 1_000).mapToObj(line -> "line " + line + "\n").collect(Collectors.joining());

    @RegisterExtension
    static final BrokerExtension BROKER = new BrokerExtension(builder -> builder.tls());

    @TempDir
    Path scratch;

    @BeforeAll
    static void requireKcat() {
        Kcat.require();
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void recordsComeBackWhateverTheirCompression(CompressionType compression) throws Exception {
        String topic = "compressed-" + compression.name;
        plaintext().run(LINES, "-P", "-t", topic, "-z", compression.name);
        assertThat(plaintext().run("", "-C", "-t", topic, "-e", "-q")).isEqualTo(LINES);
        assertThat(tls().run("", "-C", "-t", topic, "-e", "-q")).isEqualTo(LINES);
        // A batch that would not shrink is sent as it is, so the first one may be uncompressed.
        assertThat(BROKER.broker()
                        .log(topic, 0)
                        .read(0, 1 << 20, true)
                        .records()
                        .batches())
                .extracting(RecordBatch::compressionType)
                .contains(compression);
    }

    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"NONE", "GZIP", "SNAPPY"})
    void oldProtocolsAreConverted(CompressionType compression) throws Exception {
        String topic = "old-" + compression.name;
        String[] old = {"-X", "api.version.request=false", "-X", "broker.version.fallback=0.9.0"};
        plaintext().run(LINES, concat(old, "-P", "-t", topic, "-z", compression.name));
        assertThat(plaintext().run("", "-C", "-t", topic, "-e", "-q")).isEqualTo(LINES);
        assertThat(Clients.plaintext(BROKER.broker()).consume(new TopicPartition(topic, 0), 1_000))
                .hasSize(1_000);
    }

    @Test
    void recordsOfTheJavaClientAreReadAndTheOtherWayRound() throws Exception {
        TopicPartition partition = new TopicPartition("shared", 0);
        Clients.tls(BROKER.broker()).produce(partition, 10, 10);
        tls().run(LINES, "-P", "-t", "shared");
        assertThat(Clients.plaintext(BROKER.broker()).consume(partition, 1_010)).hasSize(1_010);
        assertThat(plaintext().run("", "-C", "-t", "shared", "-o", "10", "-e", "-q"))
                .isEqualTo(LINES);
    }

    @Test
    void anIdempotentProducerIsServed() throws Exception {
        plaintext().run(LINES, "-P", "-t", "idempotent", "-X", "enable.idempotence=true");
        assertThat(plaintext().run("", "-C", "-t", "idempotent", "-e", "-q")).isEqualTo(LINES);
        assertThat(BROKER.broker().log("idempotent", 0).activeProducers()).hasSize(1);
    }

    @Test
    void aGroupReadsAndGoesOnWhereItCommitted() throws Exception {
        BROKER.broker().topics().create("grouped", 3);
        plaintext().run(LINES, "-P", "-t", "grouped");
        String[] group = {"-G", "readers", "-q", "-e", "-X", "auto.offset.reset=earliest"};
        assertThat(plaintext().run("", concat(group, "grouped")).lines())
                .containsExactlyInAnyOrderElementsOf(LINES.lines().toList());
        plaintext().run("one more\n", "-P", "-t", "grouped");
        assertThat(tls().run("", concat(group, "grouped"))).isEqualTo("one more\n");
    }

    @Test
    void metadataNamesTheListenerThatWasAsked() throws Exception {
        BROKER.broker().topics().create("listed", 3);
        assertThat(plaintext().run("", "-L"))
                .contains("broker 1 at " + BROKER.broker().bootstrapServers())
                .contains("topic \"listed\" with 3 partitions");
        assertThat(tls().run("", "-L"))
                .contains("broker 1 at " + BROKER.broker().sslBootstrapServers());
    }

    @Test
    void offsetsAreQueriedByTime() throws Exception {
        plaintext().run("one\ntwo\n", "-P", "-t", "queried");
        assertThat(plaintext().run("", "-Q", "-t", "queried:0:-1")).contains("offset 2");
        assertThat(plaintext().run("", "-Q", "-t", "queried:0:1")).contains("offset 0");
    }

    private Kcat plaintext() {
        return Kcat.plaintext(BROKER.broker(), scratch);
    }

    private Kcat tls() {
        return Kcat.tls(BROKER.broker(), scratch);
    }

    private static String[] concat(String[] first, String... second) {
        String[] all = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }
}
