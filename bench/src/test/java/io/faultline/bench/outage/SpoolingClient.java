package io.faultline.bench.outage;

import io.faultline.classifier.FailureFeed;
import io.faultline.client.Delivery;
import io.faultline.client.Producer;
import io.faultline.client.spool.RecoveredBatch;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.VerdictSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** A producer with a spool that has its verdicts from the agent in its JVM, and tells all that becomes of its records. */
public final class SpoolingClient {

    private static final int SIZE = 15_000;

    private SpoolingClient() {}

    /**
     * Reads the numbers of a first and a last record, and sends these, each in a batch of its own; prints what becomes of each, of what an earlier producer left, and of
     * transfers that failed. It ends with its input, and leaves what is in the spool.
     *
     * @param arguments where to connect, the spool's directory, the topic
     * @throws IOException if its input cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        FailureFeed.ofThisJvm()
                .observe("test", verdict -> tell("verdict " + verdict.verdict() + " " + verdict.reason()));
        Map<String, String> config = Map.of(
                "bootstrap.servers",
                arguments[0],
                "spool.dir",
                arguments[1],
                "buffer.memory",
                "40000", // two records
                "linger.ms",
                "0");
        SpoolHooks hooks = new SpoolHooks(new Recovery(), VerdictSource.agent());
        Producer<String, String> producer =
                new Producer<>(config, new StringSerializer(), new StringSerializer(), hooks);
        producer.onTrip(trip -> tell("trip " + trip.watchdog()));
        tell("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            String[] numbers = line.split(" ");
            for (int number = Integer.parseInt(numbers[0]); number <= Integer.parseInt(numbers[1]); number++) {
                send(producer, arguments[2], number);
            }
        }
        producer.close(Duration.ZERO);
    }

    private static void send(Producer<String, String> producer, String topic, int number) {
        Delivery delivery = producer.send(new ProducerRecord<>(topic, 0, String.valueOf(number), content(number)));
        delivery.accepted().thenAccept(nothing -> tell("accepted " + number));
        delivery.delivered()
                .whenComplete((metadata, failure) -> tell(
                        failure == null
                                ? "delivered " + number
                                : "failed " + number + " " + failure.getClass().getSimpleName()));
    }

    /** By which a record is found in a file. */
    static String content(int number) {
        return mark(number).repeat(SIZE / mark(number).length());
    }

    static String mark(int number) {
        return "(record " + number + ")";
    }

    private static synchronized void tell(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static final class Recovery implements RecoveryListener {

        @Override
        public void onDelivered(RecoveredBatch batch, long baseOffset) {
            tell("recovered " + baseOffset);
        }

        @Override
        public void onFailed(RecoveredBatch batch, Exception cause) {
            tell("damaged");
        }
    }
}
