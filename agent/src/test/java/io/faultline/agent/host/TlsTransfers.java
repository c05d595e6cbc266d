package io.faultline.agent.host;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.common.network.ChannelMetadataRegistry;
import org.apache.kafka.common.network.SslTransportLayer;

/** Sends files through Kafka's own TLS transport layer, over a real connection, to a client that keeps what it receives. */
final class TlsTransfers {

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private SslTransportLayer transport;
    private FileChannel file;

    /** Connects over TLS. Answers when both sides have shaken hands. */
    String connect(String keyStore, String password) throws Exception {
        SSLContext context = context(Path.of(keyStore), password.toCharArray());
        received.reset();
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            Thread client = new Thread(() -> receive(context, port), "tls-client");
            client.setDaemon(true);
            client.start();
            SocketChannel accepted = server.accept();
            accepted.configureBlocking(false);
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            SelectionKey key = accepted.register(Selector.open(), SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            transport = SslTransportLayer.create("host", key, engine, metadata());
            while (!transport.ready()) {
                key.selector().select(10);
                key.selector().selectedKeys().clear();
                transport.handshake();
            }
            // As in Kafka, the client asks first: with TLS 1.3 nothing is sent before something was read.
            while (transport.read(ByteBuffer.allocate(1)) == 0) {
                key.selector().select(10);
                key.selector().selectedKeys().clear();
            }
        }
        return transport.getClass().getModule().toString();
    }

    /** Transfers from a real file from now on. */
    String file(String name) throws IOException {
        file = FileChannel.open(Path.of(name));
        return Long.toString(file.size());
    }

    /** Transfers from a file of a size that behaves as told from now on, call by call. */
    String script(int size, List<String> outcomes) {
        file = new ScriptedFile(size, outcomes);
        return "";
    }

    /** One call of {@code transferFrom}; what it could not write at once is written after it. */
    String transfer(long position, long count) throws IOException {
        long sent = 0;
        Throwable failure = null;
        try {
            sent = transport.transferFrom(file, position, count);
        } catch (IOException thrown) {
            failure = thrown;
        }
        while (transport.hasPendingWrites()) {
            transport.write(ByteBuffer.allocate(0));
        }
        return sent + "\t" + Host.failure(failure);
    }

    /** How many bytes the client has, and the first one that is not the file's when it was sent from a position on; -1 for none. */
    String received(long position) {
        byte[] bytes = received.toByteArray();
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != Content.at(position + i)) {
                return bytes.length + "\t" + i;
            }
        }
        return bytes.length + "\t-1";
    }

    private void receive(SSLContext context, int port) {
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write('?');
            InputStream in = socket.getInputStream();
            byte[] chunk = new byte[16 << 10];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                received.write(chunk, 0, read);
            }
        } catch (SocketException ended) { // with the host
        } catch (IOException broken) {
            System.out.println("client: " + broken);
        }
    }

    private static SSLContext context(Path keyStore, char[] password) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keyStore)) {
            keys.load(in, password);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, password);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    private static ChannelMetadataRegistry metadata() {
        return (ChannelMetadataRegistry) Proxy.newProxyInstance(
                TlsTransfers.class.getClassLoader(),
                new Class<?>[] {ChannelMetadataRegistry.class},
                (self, method, arguments) -> null);
    }
}
