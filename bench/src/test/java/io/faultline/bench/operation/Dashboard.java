package io.faultline.bench.operation;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A dashboard of Grafana's.
 *
 * @param queries what its panels and annotations ask, with its variables filled in
 * @param variables what its variables may be, as label and selector
 */
record Dashboard(List<String> queries, List<Variable> variables) {

    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");

    /**
     * A variable that can have the values of a label.
     *
     * @param label the label
     * @param selector of which series
     */
    record Variable(String label, String selector) {}

    static Dashboard read(Path file) throws IOException {
        List<String> queries = new ArrayList<>();
        List<Variable> variables = new ArrayList<>();
        walk(JSON.std.anyFrom(Files.readString(file)), queries, variables);
        return new Dashboard(queries, variables);
    }

    private static void walk(Object node, List<String> queries, List<Variable> variables) {
        if (node instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (key.equals("expr")) {
                    queries.add(filledIn((String) value));
                } else if (key.equals("definition")) {
                    Matcher definition = LABEL_VALUES.matcher(filledIn((String) value));
                    if (!definition.matches()) {
                        throw new IllegalStateException("not of the form label_values(selector, label): " + value);
                    }
                    variables.add(new Variable(definition.group(2), definition.group(1)));
                } else {
                    walk(value, queries, variables);
                }
            });
        } else if (node instanceof Collection<?> list) {
            list.forEach(each -> walk(each, queries, variables));
        }
    }

    private static String filledIn(String query) {
        return query.replace("$__rate_interval", "1m").replace("$job", ".*").replace("$instance", ".*");
    }
}
