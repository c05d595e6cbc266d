package io.faultline.bench.operation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page as a browser shows it, with scripting off. */
final class BrowserPage {

    private static final int HEIGHT = 900;

    private final DevTools tools;
    private final String session;
    private final int width;

    private BrowserPage(DevTools tools, String session, int width) {
        this.tools = tools;
        this.session = session;
        this.width = width;
    }

    static BrowserPage open(DevTools tools, String session, String url, int width, boolean dark) throws Exception {
        BrowserPage page = new BrowserPage(tools, session, width);
        page.run("Page.enable", Map.of());
        page.run("Emulation.setScriptExecutionDisabled", Map.of("value", true));
        page.run(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
        page.run(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
        tools.forgetEvents();
        page.run("Page.navigate", Map.of("url", url));
        tools.await("Page.loadEventFired");
        return page;
    }

    /** The text that somebody who looks at it, or has it read aloud, is given; "" or a part while the page loads anew. */
    String text() throws Exception {
        return accessible("StaticText").collect(Collectors.joining("\n"));
    }

    /** The first heading, "" while the page loads anew. */
    String heading() throws Exception {
        return accessible("heading").findFirst().orElse("");
    }

    /** In one command, since the page may be replaced by a newer one between two. */
    private Stream<String> accessible(String role) throws Exception {
        return maps(run("Accessibility.getFullAXTree", Map.of()).get("nodes")).stream()
                .filter(node -> role.equals(value(node, "role")))
                .map(node -> value(node, "name"));
    }

    /** By how many pixels the page is wider than its window. */
    int overflow() throws Exception {
        return number(contentSize().get("width")) - width;
    }

    /** Takes a picture of the whole page, however long it is. */
    void screenshot(Path png) throws Exception {
        Map<String, Object> clip = Map.of(
                "x", 0, "y", 0, "width", width, "height", number(contentSize().get("height")), "scale", 1);
        String data = (String)
                run("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true, "clip", clip))
                        .get("data");
        try {
            Files.createDirectories(png.getParent());
            Files.write(png, Base64.getDecoder().decode(data));
        } catch (IOException unwritable) {
            throw new AssertionError(png + " cannot be written", unwritable);
        }
    }

    private Map<String, Object> contentSize() throws Exception {
        return map(run("Page.getLayoutMetrics", Map.of()).get("cssContentSize"));
    }

    private Map<String, Object> run(String method, Map<String, Object> parameters) throws Exception {
        return tools.run(session, method, parameters);
    }

    private static int number(Object number) {
        return (int) Math.ceil(((Number) number).doubleValue());
    }

    private static String value(Map<String, Object> node, String property) {
        Map<String, Object> holder = map(node.get(property));
        return holder == null ? "" : String.valueOf(holder.get("value"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object map) {
        return (Map<String, Object>) map;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> maps(Object list) {
        return (List<Map<String, Object>>) list;
    }
}
