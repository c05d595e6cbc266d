package io.faultline.broker.log;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.Uuid;

/**
 * The {@code meta.properties} of a log directory: whose it is.
 *
 * @param clusterId the cluster
 * @param nodeId the node
 */
record DirectoryProperties(String clusterId, int nodeId) {

    private static final String FILE = "meta.properties";

    static Optional<DirectoryProperties> read(LogDirectory directory) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file(directory))) {
            properties.load(reader);
            return Optional.of(new DirectoryProperties(
                    properties.getProperty("cluster.id"), Integer.parseInt(properties.getProperty("node.id"))));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IllegalArgumentException damaged) {
            throw new IllegalStateException(file(directory) + " is damaged: " + damaged.getMessage(), damaged);
        }
    }

    void write(LogDirectory directory) throws IOException {
        Durability.replace(
                file(directory),
                "version=1\ncluster.id=" + clusterId + "\nnode.id=" + nodeId + "\ndirectory.id=" + Uuid.randomUuid()
                        + "\n");
    }

    private static Path file(LogDirectory directory) {
        return directory.file().toPath().resolve(FILE);
    }
}
