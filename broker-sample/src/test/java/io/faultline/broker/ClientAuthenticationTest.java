package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may connect over TLS: {@code ssl.client.auth}. */
class ClientAuthenticationTest {

    @TempDir
    static Path scratch;

    private ClientAuthority authority;
    private EmbeddedBroker broker;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = new ClientAuthority(scratch);
    }

    private void start(String clientAuth) throws Exception {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder().tls().property("ssl.client.auth", clientAuth);
        authority.brokerProperties().forEach(builder::property);
        broker = builder.start();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Clients client(Path keystore) {
        Clients clients = Clients.tls(broker);
        return keystore == null
                ? clients
                : clients.with("ssl.keystore.type", "PKCS12")
                        .with("ssl.keystore.location", keystore.toString())
                        .with("ssl.keystore.password", ClientAuthority.PASSWORD)
                        .with("ssl.key.password", ClientAuthority.PASSWORD);
    }

    private void assertServed(Path keystore) throws Exception {
        try (Admin admin = client(keystore).admin()) {
            assertThat(Clients.get(admin.describeCluster().nodes())).hasSize(1);
        }
    }

    private void assertRefused(Path keystore) {
        try (Admin admin = client(keystore).admin()) {
            assertThatThrownBy(() -> admin.describeCluster().nodes().get(1, TimeUnit.MINUTES))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(SslAuthenticationException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "requested"})
    void aClientWithoutACertificateIsServedUnlessOneIsRequired(String clientAuth) throws Exception {
        start(clientAuth);
        assertServed(null);
        assertServed(authority.valid());
    }

    @Test
    void whereCertificatesAreRequiredAClientWithAValidOneIsServedAndNoOther() throws Exception {
        start("required");
        assertServed(authority.valid());
        assertRefused(null);
        assertRefused(authority.expired());
        assertRefused(new ClientAuthority(scratch).valid());
        assertServed(authority.valid());
    }

    @Test
    void whereCertificatesAreRequestedAWrongOneIsRefused() throws Exception {
        start("requested");
        assertRefused(authority.expired());
        assertRefused(new ClientAuthority(scratch).valid());
    }

    @Test
    void kcatIsServedWithAValidCertificateAndToldWhyWithoutOne() throws Exception {
        Kcat.require();
        start("required");
        Clients.plaintext(broker).createTopic("t", 1);
        Kcat.tls(broker, scratch).run("line\n", kcat(authority.valid(), "-P", "-t", "t"));
        assertThat(Kcat.tls(broker, scratch).run("", kcat(authority.valid(), "-C", "-t", "t", "-e", "-q")))
                .isEqualTo("line\n");
        assertThat(Kcat.tls(broker, scratch).fail("-L", "-m", "5")).contains("SSL", "certificate");
        assertThat(Kcat.tls(broker, scratch).fail(kcat(authority.expired(), "-L", "-m", "5")))
                .contains("SSL", "certificate");
        assertThat(Kcat.tls(broker, scratch).fail(kcat(new ClientAuthority(scratch).valid(), "-L", "-m", "5")))
                .contains("SSL", "certificate");
    }

    private static String[] kcat(Path keystore, String... arguments) {
        List<String> all = new ArrayList<>();
        Map.of("ssl.keystore.location", keystore.toString(), "ssl.keystore.password", ClientAuthority.PASSWORD)
                .forEach((key, value) -> all.addAll(List.of("-X", key + "=" + value)));
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }
}
