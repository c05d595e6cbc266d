package io.faultline.agent;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the agent's command line, as a person does. */
final class AgentCommand {

    private AgentCommand() {}

    static Finished run(Object... arguments) {
        return run(AgentJar.path(), arguments);
    }

    static Finished run(Path jar, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(TestJdk.tool("java"), "-jar", jar.toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return Finished.run(command.toArray(String[]::new));
    }
}
