package io.faultline.agent.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process with a server that uses up all its file descriptors when it is told to, and gives them back. */
public final class Exhausted {

    private Exhausted() {}

    /**
     * Serves until its input ends: prints the port, and "done" for each "exhaust" and "free".
     *
     * @param arguments none
     * @throws IOException if the port cannot be bound
     */
    public static void main(String[] arguments) throws IOException {
        List<FileChannel> taken = new ArrayList<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (HttpServer server =
                HttpServer.open("127.0.0.1", 0, request -> Response.line(Status.OK, "page of " + request.path()))) {
            System.out.println(server.port());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("exhaust")) {
                    exhaust(taken);
                } else {
                    for (FileChannel each : taken) {
                        each.close();
                    }
                    taken.clear();
                }
                System.out.println("done");
            }
        }
    }

    private static void exhaust(List<FileChannel> taken) {
        while (true) {
            try {
                taken.add(FileChannel.open(Path.of("/dev/null")));
            } catch (IOException none) {
                return;
            }
        }
    }
}
