package io.faultline.agent.core;

import java.io.IOException;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** Which release of the agent a jar is. */
public final class Release {

    private Release() {}

    /**
     * Reads the version from the jar's manifest.
     *
     * @param jar the agent's jar
     * @return the version, never null
     */
    public static String of(Path jar) {
        try (JarFile opened = new JarFile(jar.toFile())) {
            String version = opened.getManifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
            return version == null ? "of no version" : version;
        } catch (IOException unreadable) {
            return "of unknown version";
        }
    }
}
