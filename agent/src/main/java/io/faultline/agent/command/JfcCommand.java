package io.faultline.agent.command;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code jfc}: the settings for flight recordings that the jar brings. */
@Command(
        name = "jfc",
        description = {
            "Prints settings for flight recordings that write every event of Faultline's.",
            "java -jar faultline-agent.jar jfc > faultline.jfc; jcmd PID JFR.start settings=default,faultline.jfc"
        },
        mixinStandardHelpOptions = true)
final class JfcCommand implements Callable<Integer> {

    @Override
    public Integer call() throws IOException {
        try (InputStream settings = JfcCommand.class.getClassLoader().getResourceAsStream("faultline.jfc")) {
            if (settings == null) {
                throw new IOException("the jar has no faultline.jfc");
            }
            settings.transferTo(System.out);
        }
        return 0;
    }
}
