package io.faultline.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JmxExportTest {

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final JmxExport export = new JmxExport(registry);

    @AfterEach
    void unregister() {
        export.unregister();
    }

    @Test
    void everyMeterIsABeanNamedAsKafkasAre() throws JMException {
        Gauge.builder("faultline.mode", () -> 1).tag("mode", "act").register(registry);

        assertThat(export.tryToRegister()).isTrue();

        assertThat(names()).containsExactly("kafka.faultline:mode=act,name=Mode,type=Faultline");
        assertThat(server.getAttribute(new ObjectName("kafka.faultline:type=Faultline,name=Mode,mode=act"), "Value"))
                .isEqualTo(1.0);
    }

    @Test
    void metersThatComeLaterAreShownToo() throws JMException {
        export.tryToRegister();

        Counter counter = registry.counter("faultline.check.read", "dir", "/disk1");
        counter.increment(3);

        assertThat(server.getAttribute(
                        new ObjectName("kafka.faultline:type=Faultline,name=CheckRead,dir=/disk1"), "Count"))
                .isEqualTo(3.0);
    }

    @Test
    void aTimerShowsCountTotalAndMaximum() throws JMException {
        Timer timer = registry.timer("faultline.check");
        timer.record(Duration.ofSeconds(2));
        export.tryToRegister();
        ObjectName name = new ObjectName("kafka.faultline:type=Faultline,name=Check");

        assertThat(server.getAttribute(name, "Count")).isEqualTo(1.0);
        assertThat(server.getAttribute(name, "TotalTime")).isEqualTo(2.0);
        assertThat(server.getAttribute(name, "Max")).isEqualTo(2.0);
        assertThat(server.getMBeanInfo(name).getAttributes()).hasSize(3);
    }

    @Test
    void aDirectoryWithSignsOfItsOwnIsQuoted() throws JMException {
        registry.counter("faultline.check.read", "dir", "/disk 1,a=b");

        export.tryToRegister();

        assertThat(names()).containsExactly("kafka.faultline:dir=\"/disk 1,a=b\",name=CheckRead,type=Faultline");
    }

    @Test
    void whatIsTakenOutStaysOut() throws JMException {
        registry.counter("faultline.one");
        export.tryToRegister();

        export.unregister();
        registry.counter("faultline.two");

        assertThat(export.tryToRegister()).isFalse();
        assertThat(names()).isEmpty();
    }

    private Set<String> names() throws JMException {
        return server.queryNames(new ObjectName("kafka.faultline:*"), null).stream()
                .map(ObjectName::getCanonicalName)
                .collect(Collectors.toSet());
    }
}
