package io.faultline.agent.metrics;

import io.faultline.agent.core.AgentLog;
import io.faultline.agent.core.Options;
import io.faultline.agent.core.OwnErrors;
import io.faultline.agent.core.Part;
import io.faultline.agent.status.CurrentStatus;
import io.faultline.agent.weave.JmxWatch;
import io.faultline.classifier.ClassifierMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.management.JMException;

/**
 * The ways out of the agent's meters: a page for Prometheus, JMX once the host uses it, OTLP where it is wanted. Opened and tended on threads of the agent's own; what cannot be opened is one line, and the
 * others go on.
 */
public final class Outlets implements AutoCloseable {

    private final ClassifierMetrics classifierMeters;
    private final AgentMeters agentMeters;
    private final AgentControlMBean control;
    private final AgentLog log;
    private final OwnErrors errors;
    private final Set<String> shown = new LinkedHashSet<>();
    private final JmxWatch jmxWatch;

    /** The one that JMX shows, too; null until it is made. */
    private MeterRegistry base;

    private MetricsServer server;
    private JmxExport jmx;
    private boolean jmxDone;
    private MeterRegistry otlp;
    private volatile boolean saidThatOtlpFails;

    /**
     * Makes outlets that show nothing yet.
     *
     * @param classifierMeters what is counted by directory
     * @param agentMeters what else is counted
     * @param control what can be changed over JMX
     * @param jmxWatch tells when the host uses JMX
     * @param log told of what cannot be opened
     * @param errors counts that
     */
    public Outlets(
            ClassifierMetrics classifierMeters,
            AgentMeters agentMeters,
            AgentControlMBean control,
            JmxWatch jmxWatch,
            AgentLog log,
            OwnErrors errors) {
        this.classifierMeters = classifierMeters;
        this.agentMeters = agentMeters;
        this.control = control;
        this.jmxWatch = jmxWatch;
        this.log = log;
        this.errors = errors;
    }

    /**
     * Opens what is wanted from the start. Where nothing is, meters are made with the first {@link #tend}, when a host that starts with the agent has had the processors to itself for a while.
     *
     * @param options where to serve the page, and where to send to
     * @param status what the page beside it shows to people; null where there is none
     */
    public synchronized void open(Options options, CurrentStatus status) {
        QuietLogging.install();
        if (options.metricsPort() >= 0) {
            PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            base = prometheus;
            add(prometheus);
            serve(options.metricsHost(), options.metricsPort(), prometheus, status);
        }
        if (options.otlpUrl() != null) {
            send(options);
        }
    }

    private void send(Options options) {
        try {
            otlp = OtlpOutlet.open(
                    new OtlpOutlet.Target(
                            options.otlpUrl(), options.otlpInterval(), options.otlpHeaders(), options.otlpResource()),
                    failed -> cannotSend(options.otlpUrl(), failed));
            add(otlp);
        } catch (RuntimeException | LinkageError failed) {
            errors.count(Part.OTLP);
            log.warn("otlp.url=" + options.otlpUrl() + ": no metrics over OTLP: " + failed);
        }
    }

    private void cannotSend(String url, Exception failed) {
        errors.count(Part.OTLP);
        if (!saidThatOtlpFails) {
            saidThatOtlpFails = true;
            log.warn("otlp.url=" + url + ": metrics cannot be sent (" + failed
                    + "); tried again each otlp.interval, and counted from now on");
        }
    }

    private void add(MeterRegistry registry) {
        classifierMeters.bindTo(registry);
        agentMeters.bindTo(registry);
        shown.forEach(this::showEverywhere);
    }

    private void serve(String host, int port, PrometheusMeterRegistry prometheus, CurrentStatus status) {
        try {
            server = MetricsServer.open(host, port, prometheus::scrape, status);
            if (port == 0) {
                log.line("metrics on http://" + host + ":" + server.port() + "/metrics");
            }
        } catch (IOException | RuntimeException taken) {
            errors.count(Part.METRICS);
            log.line("metrics.port=" + port + " cannot be bound at " + host + ":" + port + " (" + taken
                    + "); accepted: a free port, or 0 for any");
        }
    }

    /**
     * Makes the meters of directories appear, wherever meters are shown.
     *
     * @param directories in their owners' spelling
     */
    public synchronized void show(Collection<String> directories) {
        for (String directory : directories) {
            if (shown.add(directory)) {
                showEverywhere(directory);
            }
        }
    }

    private void showEverywhere(String directory) {
        classifierMeters.show(directory);
        agentMeters.show(directory);
    }

    /** Opens what can be opened by now; to be called every second or so. */
    public synchronized void tend() {
        if (!jmxDone) {
            try {
                if (base == null) {
                    base = new SimpleMeterRegistry();
                    add(base);
                }
                jmxDone = jmxWatch.hostUsesJmx() && exportOverJmx();
            } catch (Throwable refused) { // the other ways out are open
                jmxDone = true;
                errors.count(Part.JMX);
                log.line("no metrics over JMX: " + refused);
            }
            if (jmxDone) { // what it knows it knows for good
                jmxWatch.end();
            }
        }
    }

    private boolean exportOverJmx() throws JMException {
        if (jmx == null) {
            jmx = new JmxExport(base, control);
        }
        return jmx.tryToRegister();
    }

    /**
     * The port of the page.
     *
     * @return the port, or -1 if nothing is served
     */
    public synchronized int port() {
        return server == null ? -1 : server.port();
    }

    /** Closes everything and returns at once. */
    @Override
    public synchronized void close() {
        jmxDone = true;
        classifierMeters.close();
        if (jmx != null) {
            jmx.unregister();
        }
        if (server != null) {
            server.close();
        }
    }

    /**
     * Waits until no thread needs a class of ours any more.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public void awaitEnd() throws InterruptedException {
        if (otlp != null) {
            otlp.close(); // sends a last time, so not on a thread that anybody waits for
        }
        if (server != null) {
            server.awaitEnd();
        }
    }
}
