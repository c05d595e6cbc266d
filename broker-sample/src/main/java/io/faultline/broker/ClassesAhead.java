package io.faultline.broker;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Locale;
import javax.crypto.Cipher;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Loads, on a thread of its own, the classes that a broker's start needs last: those of the JDK's TLS, and the schemas of all Kafka's messages, a third of all classes.
 * The configuration and the logs are read meanwhile, without any of them. Whoever comes to need one waits for it, as for any class that another thread initializes; nothing else
 * is shared, and nothing depends on this thread.
 */
final class ClassesAhead implements Runnable {

    private final boolean tls;

    private ClassesAhead(boolean tls) {
        this.tls = tls;
    }

    /**
     * Begins to load, on a daemon that ends by itself.
     *
     * @param commandLine what is going to be started
     */
    static void load(CommandLine commandLine) {
        String listeners = commandLine.properties().getOrDefault("listeners", "");
        boolean tls = listeners.toUpperCase(Locale.ROOT).contains("SSL://");
        Thread thread = new Thread(new ClassesAhead(tls), "faultline-broker-classes");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        if (tls) {
            loadTls();
        }
        ApiKeys.values();
    }

    /** A context without keys, and what reads keys. Null for its managers would make it read the JDK's authorities. */
    private static void loadTls() {
        try {
            KeyStore.getInstance("PKCS12");
            Cipher.getInstance("PBEWithHmacSHA256AndAES_256");
            KeyFactory.getInstance("EC");
            CertificateFactory.getInstance("X.509");
            SSLContext.getInstance("TLS").init(new KeyManager[0], new TrustManager[0], null);
        } catch (GeneralSecurityException missing) {
            // What the broker really needs of it says so itself.
            return;
        }
    }
}
