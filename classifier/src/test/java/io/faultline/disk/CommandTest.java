package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class CommandTest {

    @Test
    void whatIsPrintedIsReturned() throws IOException {
        assertThat(Command.run("sh", "-c", "echo out; echo complaint >&2")).isEqualTo("out\n");
    }

    @Test
    void aFailureNamesTheCommandAndItsComplaint() {
        assertThatIOException()
                .isThrownBy(() -> Command.run("sh", "-c", "echo no such thing >&2; exit 3"))
                .withMessageContainingAll("sh -c", "Exit code 3", "no such thing");
    }

    @Test
    void aMissingToolIsAFailure() {
        assertThatIOException().isThrownBy(() -> Command.run("no-such-tool")).withMessageContaining("no-such-tool");
    }

    @Test
    void aCommandThatDoesNotEndIsGivenUp() {
        assertThatIOException()
                .isThrownBy(() -> Command.run(Duration.ofMillis(100), "sh", "-c", "exec sleep 60"))
                .withMessageContainingAll("No end", "sleep 60");
    }

    @Test
    void muchOutputDoesNotBlock() throws IOException {
        assertThat(Command.run("sh", "-c", "head -c 300000 /dev/zero | tee /dev/stderr"))
                .hasSize(300_000);
    }

    @Test
    void anInterruptIsKept() {
        Thread.currentThread().interrupt();

        assertThatIOException()
                .isThrownBy(() -> Command.run("sh", "-c", "exec sleep 60"))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
