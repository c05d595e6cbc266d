package io.faultline.broker;

import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Who signs the certificates that clients show. */
final class ClientAuthority {

    static final String PASSWORD = "of these tests";

    private static final Duration YEAR = Duration.ofDays(365);

    private final Path directory;
    private final X500Name name = new X500Name("CN=Authority of clients");
    private final KeyPair key;
    private final X509Certificate certificate;
    private int issued;

    ClientAuthority(Path directory) throws Exception {
        this.directory = directory;
        key = key();
        Instant now = Instant.now();
        certificate = sign(new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.ONE,
                        Date.from(now.minus(YEAR.multipliedBy(2))),
                        Date.from(now.plus(YEAR)),
                        name,
                        key.getPublic())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(0)));
    }

    private static KeyPair key() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private X509Certificate sign(X509v3CertificateBuilder builder) throws Exception {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key.getPrivate())));
    }

    /** What makes a broker trust it. */
    Map<String, String> brokerProperties() throws Exception {
        KeyStore trusted = store();
        trusted.setCertificateEntry("authority", certificate);
        return Map.of(
                "ssl.truststore.type",
                "PKCS12",
                "ssl.truststore.location",
                save(trusted, "trusted").toString(),
                "ssl.truststore.password",
                PASSWORD);
    }

    /** A keystore with a certificate that is valid now. */
    Path valid() throws Exception {
        return issue(Instant.now().minus(Duration.ofHours(1)), Instant.now().plus(YEAR));
    }

    /** A keystore with one that was valid until yesterday. */
    Path expired() throws Exception {
        return issue(Instant.now().minus(YEAR), Instant.now().minus(Duration.ofDays(1)));
    }

    private Path issue(Instant from, Instant until) throws Exception {
        issued++;
        KeyPair own = key();
        X509Certificate signed = sign(new JcaX509v3CertificateBuilder(
                name,
                BigInteger.valueOf(1 + issued),
                Date.from(from),
                Date.from(until),
                new X500Name("CN=client " + issued),
                own.getPublic()));
        KeyStore store = store();
        store.setKeyEntry("client", own.getPrivate(), PASSWORD.toCharArray(), new Certificate[] {signed, certificate});
        return save(store, "client" + issued);
    }

    private static KeyStore store() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private Path save(KeyStore store, String prefix) throws Exception {
        Path file = Files.createTempFile(directory, prefix, ".p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
        return file;
    }
}
