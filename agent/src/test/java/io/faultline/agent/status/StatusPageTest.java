package io.faultline.agent.status;

import static io.faultline.agent.status.Samples.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.classifier.OwnerAction;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The page as text, whatever there is to be shown. */
class StatusPageTest {

    /** What somebody may call a topic's folder or a directory. */
    private static final String HOSTILE = "</td><script>alert('1')</script>\"' onload=\"x&amp;\0\u0007";

    @Test
    void whateverAFileIsCalledItIsNoMarkup() throws Exception {
        SeenFailure disk = Samples.disk("/data/b/" + HOSTILE, OwnerAction.FED, NOW);
        Directory directory = Samples.directory(HOSTILE, Directory.State.OFFLINE, disk);

        String page = StatusPage.of(Samples.snapshot(List.of(directory), List.of(disk)));

        assertThat(page).doesNotContain("<script", "onload=\"x");
        Document document = wellFormed(page);
        assertThat(document.getElementsByTagName("script").getLength()).isZero();
        assertThat(document.getElementsByTagName("table").getLength()).isEqualTo(2);
        assertThat(document.getElementsByTagName("h1").item(0).getTextContent())
                .isEqualTo("1 of 1 log directory is offline");
    }

    @Test
    void jsonHoldsWhateverAFileIsCalled() throws IOException {
        SeenFailure disk = Samples.disk("/data/b/" + HOSTILE, OwnerAction.FED, NOW);

        Map<String, Object> json = JSON.std.mapFrom(StatusJson.of(Samples.snapshot(List.of(), List.of(disk))));

        assertThat(json.get("latest_failures").toString()).contains(HOSTILE);
    }

    @Test
    void nothingIsFetchedFromElsewhereOrRun() {
        SeenFailure disk = Samples.disk("/data/b/1", OwnerAction.FED, NOW);
        String page = StatusPage.of(
                Samples.snapshot(List.of(Samples.directory("/data/b", Directory.State.OFFLINE, disk)), List.of(disk)));

        assertThat(page.replace("xmlns='http://www.w3.org/2000/svg'", ""))
                .doesNotContain("http:", "https:", "//", "<script", "url(", "@import", " style=");
    }

    @Test
    void thePageAsksForItselfAgain() {
        assertThat(StatusPage.of(Samples.snapshot(List.of(), List.of())))
                .contains("<meta http-equiv=\"refresh\" content=\"5\">");
    }

    @ParameterizedTest
    @ValueSource(strings = {"act", "observe", "off"})
    void thePageIsWellFormedInEveryMode(String mode) throws Exception {
        wellFormed(StatusPage.of(Samples.snapshot(mode, false, 1, List.of(), List.of(Samples.socket(null, NOW)))));
    }

    /** It happens to be XML, but for its first line and for elements without an end. */
    private static Document wellFormed(String page) throws Exception {
        String xml = page.replace("<!DOCTYPE html>", "").replaceAll("(<(meta|link)\\b(?:[^>\"]|\"[^\"]*\")*)>", "$1/>");
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
    }
}
