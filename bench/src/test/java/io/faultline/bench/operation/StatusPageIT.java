package io.faultline.bench.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.bench.Layout;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The status page of a broker whose disk really fails, in a real browser with scripting off: before, during and after, at the width of a desk and of a phone. One story, so its tests
 * have an order. The pictures are kept in {@code bench/target/screenshots}.
 */
@NeedsFailingDisk
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class StatusPageIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int DESK = 1280;
    private static final int PHONE = 390;
    private static final Path PICTURES = Layout.ofThisBuild().root().resolve("bench/target/screenshots");

    @TempDir
    private static Path folder;

    private static WatchedBroker broker;
    private static Chromium chromium;

    @BeforeAll
    static void start() throws Exception {
        Tools.need("chromium", "chromium");
        broker = WatchedBroker.start(folder, "act");
        chromium = Chromium.start();
    }

    @AfterAll
    static void end() throws Exception {
        if (chromium != null) {
            chromium.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    @Order(1)
    void beforeTheFailureItIsCalm() throws Exception {
        broker.loseClients(5);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(broker.page("/status.json")).contains("\"verdict\" : \"socket\""));

        for (int width : new int[] {DESK, PHONE}) {
            BrowserPage page = open(width, false);
            assertThat(page.heading()).isEqualTo("No disk failure seen");
            assertThat(page.text())
                    .contains(
                            "All 2 log directories are online.",
                            broker.failingDirectory().toString())
                    .contains("client went away");
            assertThat(page.overflow())
                    .as("nobody scrolls sideways at %d", width)
                    .isNotPositive();
            page.screenshot(PICTURES.resolve("before-" + width + ".png"));
        }
    }

    @Test
    @Order(2)
    void aPageThatIsOpenShowsTheFailureByItself() throws Exception {
        BrowserPage page = open(DESK, false);
        awaitHeading(page, "No disk failure seen");

        broker.failDisk();

        awaitHeading(page, "1 of 2 log directories is offline");
        page.screenshot(PICTURES.resolve("during-" + DESK + ".png"));
    }

    @Test
    @Order(3)
    void afterTheFailureItSaysWhatWhereWhenAndWhatWasDone() throws Exception {
        for (int width : new int[] {DESK, PHONE}) {
            BrowserPage page = open(width, false);
            awaitHeading(page, "1 of 2 log directories is offline");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(page.text())
                            .contains(broker.failingDirectory() + " on /dev/loop")
                            .contains("was taken offline by Faultline")
                            .contains(broker.failingDirectory().relativize(broker.failingFile()) + " is unreadable at ")
                            .contains("Input/output error", "btrfs at ", "by Faultline", "taken offline", " ago"));
            assertThat(page.overflow())
                    .as("nobody scrolls sideways at %d", width)
                    .isNotPositive();
            page.screenshot(PICTURES.resolve("after-" + width + ".png"));
        }
    }

    @Test
    @Order(4)
    void inTheDarkItIsDark() throws Exception {
        open(DESK, true).screenshot(PICTURES.resolve("after-dark-" + DESK + ".png"));
        open(PHONE, true).screenshot(PICTURES.resolve("after-dark-" + PHONE + ".png"));
    }

    /** The page may be loading anew at any moment. */
    private static void awaitHeading(BrowserPage page, String heading) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(page.heading()).isEqualTo(heading));
    }

    private static BrowserPage open(int width, boolean dark) throws Exception {
        return chromium.open("http://" + broker.address() + "/", width, dark);
    }
}
