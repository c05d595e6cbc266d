package io.faultline.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LogDirectoryTest {

    private final LogDirFailureChannel failures = new LogDirFailureChannel(1);
    private final LogDirectory directory = new LogDirectory("some/dir", failures);

    static Stream<Exception> ioFailures() {
        IOException cause = new IOException("Input/output error");
        return Stream.of(cause, new UncheckedIOException(cause), new KafkaException("reading a batch", cause));
    }

    @ParameterizedTest
    @MethodSource("ioFailures")
    void anIoFailureInWhateverWrappingGoesToTheChannel(Exception failure) throws Exception {
        assertThatThrownBy(() -> directory.run("testing", () -> throwAny(failure)))
                .isInstanceOf(KafkaStorageException.class);
        assertThat(directory.isOffline()).isTrue();
        LogDirFailure fed = failures.take();
        assertThat(fed.directory()).isSameAs(directory);
        assertThat(fed.reason()).contains("testing").contains("Input/output error");
    }

    static Stream<Exception> closedChannels() {
        return Stream.of(
                new ClosedChannelException(),
                new AsynchronousCloseException(),
                new ClosedByInterruptException(),
                new KafkaException("reading a batch", new ClosedChannelException()));
    }

    @ParameterizedTest
    @MethodSource("closedChannels")
    void aClosedChannelSaysNothingAboutTheDisk(Exception closed) {
        assertThatThrownBy(() -> directory.run("testing", () -> throwAny(closed)))
                .isInstanceOf(NotLeaderOrFollowerException.class);
        assertThat(directory.isOffline()).isFalse();
    }

    @Test
    void aClosedChannelOfAnOfflineDirectoryIsAStorageError() {
        assertThatThrownBy(() -> directory.run("testing", () -> {
                    failures.feed(directory, "elsewhere", new IOException("meanwhile"));
                    throw new ClosedChannelException();
                }))
                .isInstanceOf(KafkaStorageException.class);
    }

    @Test
    void anAnswerToAClientIsNoIoFailure() {
        assertThatThrownBy(() -> directory.run("testing", () -> {
                    throw new CorruptRecordException("garbage", new IOException());
                }))
                .isInstanceOf(CorruptRecordException.class);
        assertThat(directory.isOffline()).isFalse();
    }

    @Test
    void nothingIsDoneInAnOfflineDirectory() {
        failures.feed(directory, "testing", new IOException());
        assertThatThrownBy(() -> directory.run("more", () -> {
                    throw new AssertionError("was run");
                }))
                .isInstanceOf(KafkaStorageException.class);
    }

    @Test
    void aDirectoryGoesThroughTheChannelOnce() {
        assertThat(failures.feed(directory, "testing", new IOException())).isTrue();
        assertThat(failures.feed(directory, "again", new IOException())).isFalse();
        assertThat(failures.offline()).containsExactly(directory);
    }

    @Test
    void itsPathIsKeptAsConfiguredAndFoundAsAbsolute() {
        assertThat(directory.path()).isEqualTo("some/dir");
        assertThat(directory.isNamed("some/dir")).isTrue();
        assertThat(directory.isNamed(new File("some/dir").getAbsolutePath())).isTrue();
        assertThat(directory.isNamed("some/dir/t-0")).isFalse();
    }

    private static void throwAny(Exception exception) throws IOException {
        if (exception instanceof IOException failure) {
            throw failure;
        }
        throw (RuntimeException) exception;
    }
}
