package io.faultline.broker.fuzz;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.broker.fuzz.FuzzedRequest.Kind;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Writes the committed inputs anew, when more is announced. */
final class SeedCorpus {

    private static final int LARGEST = 300;

    private SeedCorpus() {}

    /** Writes them to the file that is named. */
    public static void main(String[] arguments) throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                PrintStream out = new PrintStream(Path.of(arguments[0]).toFile(), StandardCharsets.US_ASCII)) {
            Vocabulary.TOPICS.forEach(topic -> broker.topics().create(topic, 2));
            List<ApiVersionPair> announced = FuzzSession.announced(new SocketExchange(broker.bootstrapServers()));
            Vocabulary vocabulary = new Vocabulary(broker);
            out.println(
                    "# Inputs of the broker's fuzzer, written by SeedCorpus: what it is a request of, and its bytes.");
            for (ApiVersionPair pair : announced) {
                byte[] choice = {(byte) pair.api().id, (byte) pair.version()};
                ByteBuffer request = small(choice, announced, vocabulary);
                for (Kind kind : Kind.values()) {
                    ByteBuffer input = ByteBuffer.allocate(1 + choice.length + request.remaining());
                    // Every other one goes over the socket.
                    input.put((byte) (kind.ordinal() | (pair.version() % 2 == 0 ? FuzzSession.SOCKET_BIT : 0)));
                    input.put(kind == Kind.RAW ? request.duplicate() : ByteBuffer.wrap(choice))
                            .flip();
                    out.println(pair + " " + kind + " " + HexFormat.of().formatHex(input.array(), 0, input.limit()));
                }
            }
        }
    }

    private static ByteBuffer small(byte[] choice, List<ApiVersionPair> announced, Vocabulary vocabulary) {
        byte[] decisions = Arrays.copyOf(choice, choice.length + 2);
        ByteBuffer request;
        do {
            request = FuzzedRequest.next(Kind.VALID, new Decisions(decisions, 0), announced, vocabulary);
            decisions[choice.length]++;
        } while (request.remaining() > LARGEST);
        return request;
    }
}
