package io.faultline.bench.host;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A process that answers each line with a line, of a word and numbers. For one thread. */
public final class Answers {

    private final JvmProcess process;
    private final Duration patience;
    private final Map<String, Integer> seen = new HashMap<>();

    /**
     * Makes it.
     *
     * @param process the process
     * @param patience how long an answer may take
     */
    public Answers(JvmProcess process, Duration patience) {
        this.process = process;
        this.patience = patience;
    }

    /**
     * Asks.
     *
     * @param question what it is told
     * @param word with what its answer begins
     * @return what follows in the answer
     * @throws IOException if the answer does not come
     * @throws InterruptedException if interrupted meanwhile
     */
    public String text(String question, String word) throws IOException, InterruptedException {
        int earlier = seen.merge(word, 1, Integer::sum) - 1;
        process.tell(question);
        String beginning = word + " ";
        return process.awaitLine("answer '" + word + "'", line -> line.startsWith(beginning), earlier, patience)
                .substring(beginning.length());
    }

    /**
     * Asks for numbers.
     *
     * @param question what it is told
     * @param word with what its answer begins
     * @return the numbers that follow
     * @throws IOException if the answer does not come
     * @throws InterruptedException if interrupted meanwhile
     */
    public double[] numbers(String question, String word) throws IOException, InterruptedException {
        return Arrays.stream(text(question, word).split(" "))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }
}
