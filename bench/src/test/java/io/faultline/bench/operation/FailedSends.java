package io.faultline.bench.operation;

import io.faultline.bench.host.GoneClient;
import io.faultline.classifier.Classification;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** A server all of whose clients go away in the middle of being sent a file. */
public final class FailedSends {

    private static final int SIZE = 64 << 10;
    private static final int SENDS_PER_CLIENT = 1_000;

    private FailedSends() {}

    /**
     * Sends when it is told to: prints "ready", then for each number that it reads makes as many sends fail and prints "done". It ends with its input.
     *
     * @param arguments the directory of the file that it sends
     * @throws IOException if the file cannot be written, or no client be had
     */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Path file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        FailureFeed.ofThisJvm().register(new Owner(directory.toString()));
        System.out.println("ready");
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                FileChannel channel = FileChannel.open(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                for (int left = Integer.parseInt(line); left > 0; left -= SENDS_PER_CLIENT) {
                    fail(channel, Math.min(left, SENDS_PER_CLIENT));
                }
                System.out.println("done");
            }
        }
    }

    private static void fail(FileChannel file, int sends) throws IOException {
        try (GoneClient gone = GoneClient.make()) {
            gone.failToSend(file, SIZE, sends);
        }
    }

    private record Owner(String directory) implements LogDirOwner {

        @Override
        public String name() {
            return "server";
        }

        @Override
        public Collection<String> directories() {
            return List.of(directory);
        }

        @Override
        public boolean isOffline(String asked) {
            return false;
        }

        @Override
        public OwnerAction takeOffline(String asked, Classification why) {
            return OwnerAction.FED;
        }
    }
}
