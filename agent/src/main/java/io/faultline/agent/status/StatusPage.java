package io.faultline.agent.status;

import io.faultline.classifier.Accounts;
import io.faultline.classifier.Mount;
import io.faultline.classifier.Verdict;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;

/**
 * The agent's status for people: what is wrong in one sentence, then everything behind it. Plain HTML that refers to nothing else, needs no scripting, and asks for itself again every
 * {@value #REFRESH_SECONDS} seconds.
 */
public final class StatusPage {

    private static final int REFRESH_SECONDS = 5;
    private static final int PLOT_HEIGHT = 36;
    private static final int BAR = 10;
    private static final int BAR_GAP = 2;
    private static final int LEAST_BAR = 3;

    private final Snapshot now;
    private final Headline headline;
    private final Html html = new Html();

    private StatusPage(Snapshot now) {
        this.now = now;
        this.headline = Headline.of(now);
    }

    /**
     * Makes the page.
     *
     * @param now what to show
     * @return HTML
     */
    public static String of(Snapshot now) {
        StatusPage page = new StatusPage(now);
        page.write();
        return page.html.toString();
    }

    private void write() {
        head();
        banner();
        html.markup("<main>\n");
        facts();
        directories();
        plot();
        latest();
        html.markup("</main>\n");
        foot();
    }

    private void head() {
        String colour = switch (headline.level()) {
            case ALARM -> "%23b3122b";
            case WARNING -> "%23d9921a";
            case OFF -> "%237a8591";
            case FINE -> "%231f8a4f";
        };
        html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .markup("<meta http-equiv=\"refresh\" content=\"" + REFRESH_SECONDS + "\">\n<title>")
                .text(headline.sentence())
                .text(where().isEmpty() ? "" : " – " + where())
                .markup("</title>\n<link rel=\"icon\" href=\"data:image/svg+xml,")
                .markup(
                        "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='")
                .markup(colour)
                .markup("'/%3E%3C/svg%3E\">\n<style>\n")
                .markup(StatusStyle.CSS)
                .markup("</style>\n</head>\n<body>\n");
    }

    private void banner() {
        html.markup("<header class=\"" + headline.level().key() + "\"><div>\n<p class=\"where\">Faultline")
                .text(where().isEmpty() ? "" : " · " + where())
                .markup("</p>\n<h1>")
                .text(headline.sentence())
                .markup("</h1>\n<ul>\n");
        for (String detail : headline.details()) {
            html.markup("<li>").text(detail).markup("</li>\n");
        }
        html.markup("</ul>\n");
        if (!headline.next().isEmpty()) {
            html.markup("<p class=\"next\"><b>Next:</b> ").text(headline.next()).markup("</p>\n");
        }
        html.markup("</div></header>\n");
    }

    /** The owners' names, and the machine where it is known: which of several hundred pages this is. */
    private String where() {
        List<String> owners = now.directories().stream()
                .map(Directory::owner)
                .filter(owner -> owner != null)
                .distinct()
                .toList();
        String names = String.join(", ", owners);
        return now.host().isEmpty() ? names : names.isEmpty() ? now.host() : names + " on " + now.host();
    }

    private void facts() {
        Accounts accounts = now.accounts();
        html.markup("<dl>\n");
        fact("Mode", now.mode());
        fact("Woven", now.isOff() ? "no, off" : now.isReady() ? "yes" : "no");
        fact("Failed transfers", accounts.handedOver());
        fact("With a verdict", accounts.verdicts());
        fact("Not checked", accounts.dropped() + accounts.expired() + accounts.skipped());
        fact("Attached", Age.of(now.since(), now.at()));
        fact("Version", now.version());
        fact("Process", now.pid());
        html.markup("</dl>\n");
    }

    private void fact(String name, Object value) {
        html.markup("<div><dt>").text(name).markup("</dt><dd>").text(value).markup("</dd></div>\n");
    }

    private void directories() {
        html.markup("<h2>Log directories</h2>\n<div class=\"card\">");
        if (now.directories().isEmpty()) {
            html.markup("<p class=\"none\">None is known yet: no owner has been found, and nothing has failed.</p>");
        } else {
            html.markup(
                            "<table id=\"directories\">\n<thead><tr><th scope=\"col\">State</th><th scope=\"col\">Directory</th>")
                    .markup("<th scope=\"col\">Device</th><th scope=\"col\">Disk verdicts</th>")
                    .markup("<th scope=\"col\">Waiting checks</th></tr></thead>\n<tbody>\n");
            now.directories().forEach(this::directory);
            html.markup("</tbody></table>");
        }
        html.markup("</div>\n");
    }

    private void directory(Directory directory) {
        String state = directory.state().key();
        html.markup("<tr><td><span class=\"badge " + state + "\">" + state + "</span>");
        if (directory.state() == Directory.State.OFFLINE) {
            html.markup("<small> by ")
                    .text(directory.takenOfflineByFaultline() ? "Faultline" : "the server")
                    .markup("</small>");
        }
        html.markup("</td><td><b>").text(directory.path()).markup("</b><small> ");
        html.text(directory.owner() == null ? "claimed by nobody" : "of " + directory.owner())
                .markup("</small></td><td data-label=\"Device\">");
        Mount mount = directory.mount();
        if (mount.device().isEmpty()) {
            html.markup("not known");
        } else {
            html.text(mount.device())
                    .markup("<small> ")
                    .text(mount.fileSystemType() + " at " + mount.point())
                    .markup("</small>");
        }
        html.markup("</td><td class=\"n\" data-label=\"Disk verdicts\">").text(directory.diskVerdicts());
        if (directory.suspectedTransient() > 0) {
            html.markup("<small> ")
                    .text(directory.suspectedTransient() + " suspected transient")
                    .markup("</small>");
        }
        html.markup("</td><td class=\"n\" data-label=\"Waiting checks\">").text(directory.pending());
        if (directory.pending() > 0) {
            html.markup("<small> oldest ").text(Age.lasting(directory.oldest())).markup("</small>");
        }
        html.markup("</td></tr>\n");
    }

    private void plot() {
        html.markup("<h2>Failed transfers in the last hour</h2>\n<div class=\"card plot\" id=\"last-hour\">\n");
        for (Kind kind : Kind.values()) {
            long sum = now.lastHour().sum(kind);
            int[] minutes = now.lastHour().of(kind);
            int most = Arrays.stream(minutes).max().orElse(0);
            html.markup("<div class=\"row " + kind.key() + (sum > 0 ? " some" : "") + "\"><span class=\"name\">")
                    .text(kind.forPeople())
                    .markup("</span>")
                    .markup("<svg role=\"img\" preserveAspectRatio=\"none\" viewBox=\"0 0 " + LastHour.MINUTES * BAR
                            + " " + PLOT_HEIGHT + "\" aria-label=\"")
                    .text(sum + " in the last hour, at most " + most + " in a minute")
                    .markup("\">");
            bars(minutes, most);
            html.markup("</svg><span class=\"n\">").text(sum).markup("</span></div>\n");
        }
        html.markup("<div class=\"scale\"><span>60 min ago</span><span>now</span></div>\n</div>\n");
    }

    /** Each kind has a scale of its own: beside a storm of clients that go, one failure of a disk would be no pixel high. */
    private void bars(int[] minutes, int most) {
        html.markup("<path class=\"base\" d=\"M0 " + PLOT_HEIGHT + "H" + LastHour.MINUTES * BAR + "\"/>");
        for (int minute = 0; minute < minutes.length; minute++) {
            if (minutes[minute] > 0) {
                int height = Math.max(LEAST_BAR, (int) ((long) minutes[minute] * PLOT_HEIGHT / most));
                html.markup("<rect x=\"" + minute * BAR + "\" y=\"" + (PLOT_HEIGHT - height) + "\" width=\""
                        + (BAR - BAR_GAP) + "\" height=\"" + height + "\"/>");
            }
        }
    }

    private void latest() {
        html.markup("<h2>Latest failures</h2>\n<div class=\"card\">");
        if (now.latest().isEmpty()) {
            html.markup("<p class=\"none\">No transfer has failed since the agent was attached.</p>");
        } else {
            html.markup("<table id=\"failures\">\n<thead><tr><th scope=\"col\">When</th><th scope=\"col\">Verdict</th>")
                    .markup("<th scope=\"col\">File</th><th scope=\"col\">Position</th>")
                    .markup("<th scope=\"col\">What was done</th></tr></thead>\n<tbody>\n");
            now.latest().forEach(this::failure);
            html.markup("</tbody></table>");
        }
        html.markup("</div>\n");
    }

    private void failure(SeenFailure seen) {
        Instant at = seen.at().truncatedTo(ChronoUnit.MILLIS);
        html.markup("<tr><td class=\"age\"><time datetime=\"")
                .text(at)
                .markup("\" title=\"")
                .text(at)
                .markup("\">")
                .text(Age.of(seen.at(), now.at()))
                .markup("</time>");
        if (seen.times() > 1) {
            html.markup("<small> ").text(seen.times() + " times so far").markup("</small>");
        }
        html.markup("</td><td><span class=\"badge " + Kind.of(seen).key() + "\">")
                .text(Kind.of(seen).forPeople())
                .markup("</span>");
        if (!seen.text().isEmpty()) {
            html.markup("<small> ").text(seen.text()).markup("</small>");
        }
        html.markup("</td><td data-label=\"File\" title=\"")
                .text(seen.file() == null ? "" : seen.file())
                .markup("\">")
                .text(seen.file() == null ? "not known" : seen.shortName())
                .markup("<small> ")
                .text(seen.directory())
                .markup("</small></td><td class=\"n\" data-label=\"Position\">");
        if (seen.unreadableAt() >= 0) {
            html.markup("<b>").text(seen.unreadableAt()).markup("</b><small> in ");
        } else {
            html.text(seen.region().position()).markup("<small> ");
        }
        html.text(seen.region().position() + "+" + seen.region().count())
                .markup("</small></td><td data-label=\"Done\">")
                .text(done(seen))
                .markup("</td></tr>\n");
    }

    private static String done(SeenFailure seen) {
        if (seen.verdict() != Verdict.DISK) {
            return seen.suspectedTransient() ? "nothing: readable again" : "nothing to do";
        }
        return switch (seen.action()) {
            case FED -> "taken offline";
            case OBSERVED -> "nothing: observed only";
            case ALREADY -> "nothing: was offline already";
            case LIMITED -> "nothing: limit reached";
            case UNKNOWN -> "nothing: its owner does not know the directory";
            case ERROR -> "failed: its owner did not take it";
            case NONE -> "nothing: nobody claims the directory";
        };
    }

    private void foot() {
        Instant at = now.at().truncatedTo(ChronoUnit.SECONDS);
        html.markup("<footer>As of <time datetime=\"")
                .text(at)
                .markup("\">")
                .text(at.toString().replace('T', ' ').replace("Z", " UTC"))
                .markup("</time>, again every " + REFRESH_SECONDS + " seconds. The same as ")
                .markup(
                        "<a href=\"/status.json\">JSON</a>; <a href=\"/metrics\">metrics</a>.</footer>\n</body>\n</html>\n");
    }
}
