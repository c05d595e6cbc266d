package io.faultline.bench.junit;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs a test in this JVM each time it is told to, and prints how long it took from when JUnit was asked until it was done, and how long its threads ran. */
public final class TestRuns {

    /** What the test runs on. */
    public enum Side {
        /** The bundled broker. */
        BUNDLED(OnBundledBroker.class),
        /** Apache Kafka. */
        APACHE(OnApacheKafka.class);

        private final Class<?> test;

        Side(Class<?> test) {
            this.test = test;
        }
    }

    private TestRuns() {}

    /**
     * Runs the test for every line of the input.
     *
     * @param arguments the side
     * @throws IOException if the input cannot be read
     */
    public static void main(String... arguments) throws IOException {
        Side side = Side.valueOf(arguments[0]);
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (int run = 1; orders.readLine() != null; run++) {
            long ran = system.getProcessCpuTime();
            long began = System.nanoTime();
            run(side);
            long took = System.nanoTime() - began;
            System.out.println("run " + run + " took " + took + " " + (system.getProcessCpuTime() - ran));
        }
        // Kafka leaves threads behind that would keep the JVM.
        System.exit(0);
    }

    private static void run(Side side) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(side.test))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        if (listener.getSummary().getTestsSucceededCount() != 1) {
            StringWriter failures = new StringWriter();
            listener.getSummary().printFailuresTo(new PrintWriter(failures));
            System.out.println(side + " failed: " + failures);
            System.exit(1);
        }
    }
}
