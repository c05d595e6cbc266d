package io.faultline.bench.operation;

import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A headless browser: Debian's chromium. It ends, with all its processes and files, when it is closed. */
final class Chromium implements AutoCloseable {

    private static final String READY = "DevTools listening on ";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TemporaryFolder folder;
    private final JvmProcess process;
    private final DevTools tools;

    private Chromium(TemporaryFolder folder, JvmProcess process, DevTools tools) {
        this.folder = folder;
        this.process = process;
        this.tools = tools;
    }

    static Chromium start() throws IOException, InterruptedException {
        TemporaryFolder folder = TemporaryFolder.named("faultline-chromium");
        ProcessBuilder builder = new ProcessBuilder(List.of(
                "chromium",
                "--headless=new",
                "--no-sandbox", // of the kernel's; it has none for root, and what it is shown is ours
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder.path(),
                "about:blank"));
        builder.environment().put("HOME", folder.path().toString());
        JvmProcess process = JvmProcess.start("chromium", builder, null);
        try {
            String ready = process.awaitLine(READY, PATIENCE);
            return new Chromium(
                    folder,
                    process,
                    DevTools.connect(
                            URI.create(ready.substring(ready.indexOf("ws://")).strip())));
        } catch (IOException notReady) {
            process.close();
            folder.close();
            throw notReady;
        }
    }

    /** Opens a page in a window of some width, on which nothing of it can run. */
    BrowserPage open(String url, int width, boolean dark) throws Exception {
        String target = (String) tools.run(null, "Target.createTarget", Map.of("url", "about:blank"))
                .get("targetId");
        String session = (String) tools.run(null, "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .get("sessionId");
        return BrowserPage.open(tools, session, url, width, dark);
    }

    @Override
    public void close() throws IOException {
        process.close();
        folder.close();
    }
}
