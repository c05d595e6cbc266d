package io.faultline.bench.subject;

import io.faultline.client.Producer;
import io.faultline.client.spool.RecoveredBatch;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.SpoolFigures;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.VerdictSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The process of a producer with a spool, which is made to be killed: it sends as fast as it can, and prints {@link #ACCEPTED} or
 * {@link #UNDECIDED} with sender, partition and number of a record. One that does not send ends when its spool has nothing left to deliver.
 */
public final class SpoolingMain {

    /** The record was accepted. */
    public static final String ACCEPTED = "accepted";

    /** It cannot be known whether the record is in the log. */
    public static final String UNDECIDED = "undecided";

    /** So many batches are left in the spool of one that does not send. */
    static final String LEFT = "left";

    /** How a line ends; one that does not was torn when the process was killed. */
    static final String END = " .";

    private static final Duration A_WHILE = Duration.ofSeconds(5);

    private SpoolingMain() {}

    /**
     * Runs it.
     *
     * @param arguments where to connect, the spool's directory, the topic, how many partitions it has, the number of the sender, and whether it sends
     */
    public static void main(String[] arguments) {
        Map<String, String> config = Map.of(
                "bootstrap.servers", arguments[0],
                "spool.dir", arguments[1],
                // So little that an outage of moments fills it.
                "buffer.memory", "20000",
                "batch.size", "2000",
                "linger.ms", "1",
                "request.timeout.ms", "1000",
                "delivery.timeout.ms", "4000",
                "socket.connection.setup.timeout.ms", "1000",
                "socket.connection.setup.timeout.max.ms", "2000");
        RecoveryListener listener = new RecoveryListener() {
            @Override
            public void onUndecided(RecoveredBatch batch, String why, List<ProducerRecord<byte[], byte[]>> records) {
                records.forEach(each -> tell(UNDECIDED, Payload.decode(each.value())));
            }
        };
        try (Producer<byte[], byte[]> producer = new Producer<>(
                config,
                new ByteArraySerializer(),
                new ByteArraySerializer(),
                new SpoolHooks(listener, VerdictSource.agent()))) {
            if (Boolean.parseBoolean(arguments[5])) {
                sendForEver(producer, arguments[2], Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
            } else {
                drain(producer);
            }
        }
    }

    private static void sendForEver(Producer<byte[], byte[]> producer, String topic, int partitions, int sender) {
        for (long number = 0; true; number++) {
            for (int partition = 0; partition < partitions; partition++) {
                Payload payload = new Payload(sender, partition, number);
                producer.send(new ProducerRecord<>(topic, partition, null, payload.encode()))
                        .accepted()
                        .thenAccept(nothing -> tell(ACCEPTED, payload));
            }
        }
    }

    private static void drain(Producer<byte[], byte[]> producer) {
        SpoolFigures spool = producer.spool().orElseThrow();
        for (long left = spool.batches(); left > 0; left = spool.batches()) {
            tell(LEFT + " " + left);
            try {
                producer.flush(A_WHILE);
            } catch (KafkaException notYet) {
                // The broker may be slow, or a record undecided, which the listener is told.
            }
        }
    }

    private static void tell(String what, Payload record) {
        tell(what + " " + record.sender() + " " + record.partition() + " " + record.number());
    }

    private static synchronized void tell(String line) {
        System.out.println(line + END);
        System.out.flush();
    }
}
