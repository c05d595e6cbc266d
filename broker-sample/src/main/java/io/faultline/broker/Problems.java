package io.faultline.broker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.config.ConfigException;

/** What is wrong with a configuration: all of it is found before anything of it is said. */
final class Problems {

    private final List<String> found = new ArrayList<>();

    void add(String problem) {
        found.add(problem);
    }

    void addAll(Collection<String> problems) {
        found.addAll(problems);
    }

    /** Does a check, which throws a {@link ConfigException} if it finds something. */
    void check(Runnable check) {
        try {
            check.run();
        } catch (ConfigException problem) {
            found.add(problem.getMessage());
        }
    }

    /**
     * Ends here if something was found.
     *
     * @throws ConfigException with a line for each problem
     */
    void refuse() {
        if (!found.isEmpty()) {
            throw new ConfigException(String.join("\n", found));
        }
    }
}
