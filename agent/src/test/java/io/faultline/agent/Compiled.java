package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** Classes that only one test needs, and that must not be on the class path of the others. */
final class Compiled {

    private Compiled() {}

    /** Compiles a class from what stands behind its package declaration. */
    static Path into(Path folder, String name, String source) throws IOException {
        int dot = name.lastIndexOf('.');
        Files.createDirectories(folder);
        Path file = folder.resolve(name.substring(dot + 1) + ".java");
        Files.writeString(file, (dot < 0 ? "" : "package " + name.substring(0, dot) + ";\n") + source);
        int exit = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", "17", "-d", folder.toString(), file.toString());
        assertThat(exit).as("compilation of %s", name).isZero();
        return folder;
    }
}
