package io.faultline.broker.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stores, as others read them. */
class GeneratedTlsTest {

    private static final byte[] MESSAGE = {1, 2, 3};

    @TempDir
    Path scratch;

    @Test
    void theKeyStoreHoldsTheKeyOfTheCertificateThatTheAuthoritySigned() throws Exception {
        GeneratedTls tls = GeneratedTls.in(scratch);
        KeyStore store = open(tls, "keystore.p12");
        assertThat(store.isKeyEntry("broker")).isTrue();
        Certificate[] chain = store.getCertificateChain("broker");
        Certificate authority = authority(tls);
        assertThat(chain).hasSize(2).endsWith(authority);
        chain[0].verify(authority.getPublicKey());
        KeyStore.ProtectionParameter password =
                new KeyStore.PasswordProtection(tls.password().toCharArray());
        KeyStore.PrivateKeyEntry key = (KeyStore.PrivateKeyEntry) store.getEntry("broker", password);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key.getPrivateKey());
        signature.update(MESSAGE);
        byte[] signed = signature.sign();
        signature.initVerify(chain[0]);
        signature.update(MESSAGE);
        assertThat(signature.verify(signed)).isTrue();
    }

    @Test
    void theTrustStoreTrustsTheAuthorityAndNothingElse() throws Exception {
        GeneratedTls tls = GeneratedTls.in(scratch);
        KeyStore store = open(tls, "truststore.p12");
        assertThat(store.size()).isEqualTo(1);
        assertThat(store.isCertificateEntry("authority")).isTrue();
        assertThat(store.getCertificate("authority")).isEqualTo(authority(tls));
    }

    @Test
    void aStoreThatWasTamperedWithIsRefused() throws Exception {
        GeneratedTls tls = GeneratedTls.in(scratch);
        Path file = scratch.resolve("truststore.p12");
        byte[] bytes = Files.readAllBytes(file);
        byte[] name = "Faultline".getBytes(StandardCharsets.US_ASCII);
        int at = 0;
        while (!Arrays.equals(bytes, at, at + name.length, name, 0, name.length)) {
            at++;
        }
        bytes[at] = 'f';
        Files.write(file, bytes);
        assertThat(open(tls, "keystore.p12").size()).isEqualTo(1);
        assertThatThrownBy(() -> open(tls, "truststore.p12")).isInstanceOf(IOException.class);
    }

    @Test
    void aBrokerTrustsTheAuthorityUnlessItHasAnyTrustOfItsOwn() throws Exception {
        GeneratedTls tls = GeneratedTls.in(scratch);
        Map<String, String> without = new HashMap<>(Map.of("node.id", "1"));
        tls.complete(without);
        assertThat(without)
                .containsAllEntriesOf(tls.serverProperties())
                .containsEntry(
                        "ssl.truststore.location",
                        scratch.resolve("truststore.p12").toString());
        Map<String, String> own = new HashMap<>(Map.of("ssl.truststore.certificates", "PEM", "ssl.key.password", "p"));
        tls.complete(own);
        assertThat(own)
                .containsEntry("ssl.key.password", "p")
                .containsKey("ssl.keystore.location")
                .doesNotContainKeys("ssl.truststore.location", "ssl.truststore.type", "ssl.truststore.password");
    }

    @Test
    void keytoolListsBothStores() throws Exception {
        GeneratedTls tls = GeneratedTls.in(scratch);
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        for (Map.Entry<String, String> entry : Map.of(
                        "keystore.p12", "PrivateKeyEntry", "truststore.p12", "trustedCertEntry")
                .entrySet()) {
            String list = output(
                    tls,
                    keytool.toString(),
                    "-J-Duser.language=en",
                    "-list",
                    "-keystore",
                    scratch.resolve(entry.getKey()).toString(),
                    "-storepass:env",
                    "STORE_PASSWORD");
            assertThat(list).contains("contains 1 entry", entry.getValue());
        }
    }

    private static Certificate authority(GeneratedTls tls) throws Exception {
        try (var pem = Files.newInputStream(tls.authority())) {
            return CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
    }

    private static KeyStore open(GeneratedTls tls, String name) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(tls.directory().resolve(name))) {
            store.load(in, tls.password().toCharArray());
        }
        return store;
    }

    private String output(GeneratedTls tls, String... command) throws Exception {
        Path output = scratch.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(List.of(command));
        builder.environment().put("STORE_PASSWORD", tls.password());
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).as("%s", Files.readString(output)).isZero();
        return Files.readString(output);
    }
}
