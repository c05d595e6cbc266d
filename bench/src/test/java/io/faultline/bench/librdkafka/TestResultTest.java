package io.faultline.bench.librdkafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.librdkafka.TestResult.Outcome;
import org.junit.jupiter.api.Test;

class TestResultTest {

    private static final LibrdkafkaTest TEST = new LibrdkafkaTest("0022_consume_batch", null, "default");

    private static final String TABLE = """
            TEST 20261130024758 (bare, scenario default) SUMMARY
            #==================================================================#
            |\u001b[32m <MAIN>                                   |     PASSED |   1.401s \u001b[0m|
            |\u001b[32m 0022_consume_batch                       |     %s |   1.261s \u001b[0m|%s
            |\u001b[32m 0022_consume_batch_local                 |     PASSED |   0.047s \u001b[0m|
            #==================================================================#
            """;

    @Test
    void aTestHasPassedIfTheTableSaysSo() {
        TestResult result = TestResult.of(TEST, TABLE.formatted("PASSED", ""), 3);
        assertThat(result).isEqualTo(new TestResult(Outcome.PASSED, "", 3));
        assertThat(result.passed()).isTrue();
    }

    @Test
    void whyATestWasSkippedIsBehindItsRow() {
        TestResult result =
                TestResult.of(TEST, TABLE.formatted("SKIPPED", "\u001b[36m No OAUTHBEARER support\u001b[0m"), 0);
        assertThat(result).isEqualTo(new TestResult(Outcome.SKIPPED, "No OAUTHBEARER support", 0));
    }

    @Test
    void aTestThatEndedTheRunnerHasFailedForTheFirstReasonItGave() {
        String output = """
                [0022_consume_batch          /  1.065s] \u001b[31mTEST FAILURE
                \u001b[31m### Test "0022_consume_batch" failed at 0022-consume_batch.c:882:do_test() at Mon Nov 30 02:56:36 2026: ###
                no rdkafkatest_rnd2173c6ba5501b933_t at 127.0.0.1:9092
                \u001b[31m### Test "<MAIN>" failed at test.c:1950:test_wait_exit() at Mon Nov 30 02:56:36 2026: ###
                3 thread(s) still active in librdkafka
                """;
        TestResult result = TestResult.of(TEST, output, 2);
        assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(result.reason()).isEqualTo("0022-consume_batch.c:882: no rdkafkatest_t at 127.0.0.1");
    }

    @Test
    void aTestThatPrintedNothingHasFailed() {
        assertThat(TestResult.of(TEST, "", 0).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(TestResult.timedOut("", 300).outcome()).isEqualTo(Outcome.TIMED_OUT);
    }
}
