package io.faultline.client;

import io.faultline.client.spool.RecoveredBatch;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.VerdictSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;

/** A process with a producer that tells which records were accepted, until it is killed or has nothing left in its spool. */
final class SpoolVictim {

    /** In front of a key: the record was accepted. */
    static final String ACCEPTED = "accepted";

    /** In front of a key: it cannot be known whether the record is in the log. */
    static final String UNDECIDED = "undecided";

    private SpoolVictim() {}

    /** Takes the bootstrap servers, the spool's directory, a number for the keys, and whether to send. */
    public static void main(String[] args) {
        RecoveryListener listener = new RecoveryListener() {
            @Override
            public void onUndecided(RecoveredBatch batch, String why, List<ProducerRecord<byte[], byte[]>> records) {
                records.forEach(each -> tell(UNDECIDED, new String(each.key(), StandardCharsets.UTF_8)));
            }
        };
        Map<String, String> config = Map.of(
                "bootstrap.servers", args[0],
                "spool.dir", args[1],
                "buffer.memory", "20000",
                "batch.size", "2000",
                "linger.ms", "1",
                "request.timeout.ms", "1000",
                "delivery.timeout.ms", "4000",
                "max.block.ms", "30000");
        try (Producer<String, String> producer = new Producer<>(
                config,
                new StringSerializer(),
                new StringSerializer(),
                new SpoolHooks(listener, VerdictSource.agent()))) {
            if (Boolean.parseBoolean(args[3])) {
                sendForEver(producer, args[2]);
            } else {
                drain(producer);
            }
        }
    }

    private static void sendForEver(Producer<String, String> producer, String number) {
        for (int count = 0; true; count++) {
            String key = number + "-" + count + ".";
            producer.send(new ProducerRecord<>("t", 0, key, "x".repeat(200)))
                    .accepted()
                    .thenAccept(nothing -> tell(ACCEPTED, key));
        }
    }

    private static void drain(Producer<String, String> producer) {
        boolean empty = false;
        while (!empty) {
            try {
                producer.flush(Duration.ofSeconds(30));
                empty = producer.spool().orElseThrow().batches() == 0;
            } catch (TimeoutException notYet) {
                empty = false;
            }
        }
    }

    private static synchronized void tell(String what, String key) {
        System.out.println(what + " " + key);
        System.out.flush();
    }
}
