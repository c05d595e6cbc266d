package io.faultline.bench.operation;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Commands to a browser, and its answers.
 *
 * @see <a href="https://chromedevtools.github.io/devtools-protocol/">Chrome DevTools Protocol</a>
 */
final class DevTools implements WebSocket.Listener {

    private static final int PATIENCE_SECONDS = 60;

    private final AtomicInteger number = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Map<String, Object>>> asked = new ConcurrentHashMap<>();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final StringBuilder message = new StringBuilder();
    private WebSocket socket;

    private DevTools() {}

    /** Connects to a browser. */
    static DevTools connect(URI browser) {
        DevTools tools = new DevTools();
        tools.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(browser, tools)
                .join();
        return tools;
    }

    /** Has the browser, or where there is a session a page, do something, and waits for the result. */
    Map<String, Object> run(String session, String method, Map<String, Object> parameters) throws Exception {
        int id = number.incrementAndGet();
        Map<String, Object> command = new LinkedHashMap<>();
        command.put("id", id);
        command.put("method", method);
        command.put("params", parameters);
        if (session != null) {
            command.put("sessionId", session);
        }
        CompletableFuture<Map<String, Object>> result = new CompletableFuture<>();
        asked.put(id, result);
        socket.sendText(JSON.std.asString(command), true).join();
        return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Forgets what has happened so far. */
    void forgetEvents() {
        events.clear();
    }

    /** Waits for something to happen. */
    void await(String event) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            String next = events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new AssertionError("the browser never said " + event);
            }
            if (next.equals(event)) {
                return;
            }
        }
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
        message.append(part);
        if (last) {
            take(message.toString());
            message.setLength(0);
        }
        from.request(1);
        return null;
    }

    @SuppressWarnings("unchecked")
    private void take(String text) {
        Map<String, Object> told;
        try {
            told = JSON.std.mapFrom(text);
        } catch (IOException noJson) {
            throw new UncheckedIOException(noJson);
        }
        if (told.containsKey("method")) {
            events.add((String) told.get("method"));
            return;
        }
        CompletableFuture<Map<String, Object>> result = asked.remove(told.get("id"));
        if (told.containsKey("error")) {
            result.completeExceptionally(new IOException(told.get("error").toString()));
        } else {
            result.complete((Map<String, Object>) told.get("result"));
        }
    }
}
