package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The re-read goes through a descriptor of the classifier's own, to the file that the host has open, whatever it is named today. */
@ExtendWith(LeavesNoThread.class)
class OwnDescriptorTest {

    private static final int SIZE = 100_000;

    @TempDir
    private Path directory;

    private final HostDescriptors descriptors = HostDescriptors.find();
    private final HostFile files = new HostFile(descriptors);
    private Path file;
    private FileChannel channel;

    @BeforeEach
    void writeFile() throws IOException {
        directory = directory.toRealPath();
        file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        channel = FileChannel.open(file, StandardOpenOption.READ);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
    }

    private Classification verdictOnSend(String openedAs) throws IOException {
        try (RunningClassifier running = new RunningClassifier();
                Peers peers = new Peers()) {
            return running.verdictOn(peers.failedSend(channel, openedAs, 0, SIZE));
        }
    }

    @Test
    void theDescriptorOfAChannelIsKnown() throws Exception {
        Path link = Path.of("/proc/self/fd/" + descriptors.of(channel));
        assertThat(Files.readSymbolicLink(link)).isEqualTo(file);
    }

    @Test
    void theDescriptorOfAStrangersChannelIsNotKnown() throws Exception {
        try (FileChannel stranger = new ObservedChannel(file)) {
            assertThat(descriptors.of(stranger)).isEqualTo(HostDescriptors.UNKNOWN);
            assertThat(files.openAgain(stranger)).isNull();
            assertThat(files.nameToday(stranger)).isNull();
            assertThat(files.identity(stranger)).isSameAs(stranger);
        }
    }

    @Test
    void aClosedChannelIsNeitherOpenedNorNamed() throws Exception {
        channel.close();
        assertThat(files.openAgain(channel)).isNull();
        assertThat(files.nameToday(channel)).isNull();
        assertThat(files.identity(channel)).isSameAs(channel);
    }

    @Test
    void theOwnDescriptorOutlivesTheHosts() throws Exception {
        try (FileChannel own = files.openAgain(channel)) {
            channel.close();
            assertThat(own.size()).isEqualTo(SIZE);
            assertThat(own.isOpen()).isTrue();
        }
    }

    @Test
    void channelsOfOneFileAreKnownToBeSo() throws Exception {
        Path other = Files.write(directory.resolve("other"), new byte[1]);
        Path link = Files.createLink(directory.resolve("link"), file);
        try (FileChannel again = FileChannel.open(link);
                FileChannel another = FileChannel.open(other)) {
            assertThat(files.identity(again)).isEqualTo(files.identity(channel));
            assertThat(files.identity(another)).isNotEqualTo(files.identity(channel));
        }
    }

    @Test
    void aRenamedFileIsReadAndNamedAsOfToday() throws Exception {
        Path today = Files.move(file, directory.resolve("segment.deleted"));
        Files.write(file, new byte[0]);
        Classification verdict = verdictOnSend(file.toString());
        assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
        assertThat(verdict.file()).isEqualTo(today.toString());
    }

    @Test
    void aDeletedFileIsReadAndNamed() throws Exception {
        Files.delete(file);
        Classification verdict = verdictOnSend(file.toString());
        assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
        assertThat(verdict.file()).isEqualTo(file.toString());
    }

    @Test
    void aReplacedFileIsReadAsTheHostHasItOpen() throws Exception {
        Path empty = Files.write(directory.resolve("empty"), new byte[0]);
        Files.move(empty, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(verdictOnSend(file.toString()).verdict()).isEqualTo(Verdict.SOCKET);
    }

    @Test
    void aFileThatWasOpenedByNoKnownNameIsNamedAllTheSame() throws Exception {
        Classification verdict = verdictOnSend(null);
        assertThat(verdict.file()).isEqualTo(file.toString());
        assertThat(verdict.directory()).isNotEmpty();
    }

    @Test
    void everyDescriptorOfOurOwnIsClosedAgain() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                Peers peers = new Peers()) {
            for (int send = 0; send < 50; send++) {
                running.verdictOn(peers.failedSend(channel, file.toString(), 0, SIZE));
            }
        }
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(open.filter(this::isOurFile)).hasSize(1);
        }
    }

    private boolean isOurFile(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    @Test
    void withoutDescriptorsTheHostsChannelIsReadAndStaysOpen() throws Exception {
        try (RunningClassifier running =
                        new RunningClassifier(builder -> builder.descriptors(HostDescriptors.unknown()));
                Peers peers = new Peers()) {
            Classification verdict = running.verdictOn(peers.failedSend(channel, file.toString(), 0, SIZE));
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(verdict.file()).isEqualTo(file.toString());
            assertThat(channel.isOpen()).isTrue();
        }
    }
}
