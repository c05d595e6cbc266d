package io.faultline.broker.tls;

import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.config.SslConfigs;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority of its own and a server certificate for this machine's loopback, in a directory:
 * {@code keystore.p12}, {@code truststore.p12}, {@code ca.pem} and {@code client.properties}. For tests and demonstrations.
 *
 * @param directory where the files are
 * @param password the password of both stores
 */
public record GeneratedTls(Path directory, String password) {

    private static final String KEYSTORE = "keystore.p12";
    private static final String TRUSTSTORE = "truststore.p12";
    private static final String CA = "ca.pem";
    private static final String CLIENT = "client.properties";
    private static final String TRUSTSTORE_PREFIX = "ssl.truststore.";
    private static final String STORE_TYPE = "PKCS12";
    private static final Duration VALID = Duration.ofDays(365);

    /** Clocks of one machine differ by nothing, but a client may run in a container that was paused. */
    private static final Duration BEFORE = Duration.ofHours(1);

    /**
     * The certificates in a directory; they are made where there are none. Only the owner can read the files.
     *
     * @param directory the directory, which is made where it is missing
     * @return the certificates
     * @throws IOException if they can be neither read nor made
     */
    public static GeneratedTls in(Path directory) throws IOException {
        Path client = directory.resolve(CLIENT);
        if (Files.exists(client)) {
            Properties known = new Properties();
            try (var reader = Files.newBufferedReader(client)) {
                known.load(reader);
            }
            return new GeneratedTls(directory, known.getProperty(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG));
        }
        Files.createDirectories(directory);
        GeneratedTls tls = new GeneratedTls(directory, new BigInteger(128, new SecureRandom()).toString(36));
        try {
            tls.generate();
        } catch (GeneralSecurityException | OperatorCreationException failure) {
            throw new IOException("cannot make certificates in " + directory + ": " + failure, failure);
        }
        return tls;
    }

    /**
     * Where the certificates of a server will be, made or not.
     *
     * @param directory their directory
     * @return Kafka's names and values, without passwords
     */
    public static Map<String, String> locations(Path directory) {
        return Map.of(
                SslConfigs.SSL_KEYSTORE_TYPE_CONFIG,
                STORE_TYPE,
                SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG,
                directory.resolve(KEYSTORE).toAbsolutePath().toString());
    }

    private void generate() throws IOException, GeneralSecurityException, OperatorCreationException {
        KeyPair authorityKey = key();
        X500Name authority = new X500Name("CN=Faultline test authority");
        X509Certificate authorityCertificate = sign(
                builder(authority, authority, authorityKey, 1)
                        .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                        .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign)),
                authorityKey);
        KeyPair serverKey = key();
        GeneralNames names = new GeneralNames(new GeneralName[] {
            new GeneralName(GeneralName.dNSName, "localhost"),
            new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
            new GeneralName(GeneralName.iPAddress, "::1")
        });
        X509Certificate serverCertificate = sign(
                builder(authority, new X500Name("CN=localhost"), serverKey, 2)
                        .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                        .addExtension(Extension.subjectAlternativeName, false, names),
                authorityKey);

        UnstretchedStore store = new UnstretchedStore(password);
        save(store.ofKey("broker", serverKey.getPrivate(), serverCertificate, authorityCertificate), KEYSTORE);
        save(store.ofAuthority("authority", authorityCertificate), TRUSTSTORE);
        StringWriter pem = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(pem)) {
            writer.writeObject(authorityCertificate);
        }
        write(CA, pem.toString());
        // Last, because its presence says that the others are whole.
        StringBuilder client = new StringBuilder();
        clientProperties()
                .forEach((key, value) ->
                        client.append(key).append('=').append(value).append('\n'));
        write(CLIENT, client.toString());
    }

    private static KeyPair key() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static X509v3CertificateBuilder builder(X500Name issuer, X500Name subject, KeyPair key, int serial) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                issuer,
                BigInteger.valueOf(serial),
                Date.from(now.minus(BEFORE)),
                Date.from(now.plus(VALID)),
                subject,
                key.getPublic());
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, KeyPair signer)
            throws OperatorCreationException, GeneralSecurityException, CertIOException {
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer.getPrivate())));
    }

    private void save(byte[] store, String name) throws IOException {
        Files.write(ownerOnly(name), store, StandardOpenOption.TRUNCATE_EXISTING);
    }

    private void write(String name, String content) throws IOException {
        try (Writer writer = Files.newBufferedWriter(
                ownerOnly(name), StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING)) {
            writer.write(content);
        }
    }

    private Path ownerOnly(String name) throws IOException {
        Path file = directory.resolve(name);
        Files.deleteIfExists(file);
        if (Files.getFileStore(directory).supportsFileAttributeView("posix")) {
            return Files.createFile(
                    file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        return Files.createFile(file);
    }

    /**
     * What a broker needs to serve with these certificates, to clients that show one of the same authority, if they are to show one: without a trust store, Kafka's network
     * layer would take all that the JDK takes from the web's servers.
     *
     * @return Kafka's names and values
     */
    public Map<String, String> serverProperties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, STORE_TYPE);
        properties.put(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, path(KEYSTORE));
        properties.put(SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG, password);
        properties.put(SslConfigs.SSL_KEY_PASSWORD_CONFIG, password);
        properties.putAll(trust());
        return properties;
    }

    /**
     * Adds to a broker's configuration what it needs to serve with these certificates. What it has stays: with a key of a trust store of its own, whatever its type, it gets
     * none of this one's.
     *
     * @param properties Kafka's names and values
     */
    public void complete(Map<String, String> properties) {
        boolean ownTrust = properties.keySet().stream().anyMatch(key -> key.startsWith(TRUSTSTORE_PREFIX));
        serverProperties().forEach((key, value) -> {
            if (!ownTrust || !key.startsWith(TRUSTSTORE_PREFIX)) {
                properties.putIfAbsent(key, value);
            }
        });
    }

    /**
     * What a Java client needs to trust these certificates.
     *
     * @return Kafka's names and values, {@code security.protocol} among them
     */
    public Map<String, String> clientProperties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("security.protocol", "SSL");
        properties.putAll(trust());
        return properties;
    }

    private Map<String, String> trust() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, STORE_TYPE);
        properties.put(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, path(TRUSTSTORE));
        properties.put(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, password);
        return properties;
    }

    /**
     * The authority's certificate as PEM, for clients on librdkafka.
     *
     * @return the file
     */
    public Path authority() {
        return directory.resolve(CA).toAbsolutePath();
    }

    private String path(String name) {
        return directory.resolve(name).toAbsolutePath().toString();
    }

    /**
     * Names the directory, not the password.
     *
     * @return one line
     */
    @Override
    public String toString() {
        return "certificates in " + directory;
    }
}
