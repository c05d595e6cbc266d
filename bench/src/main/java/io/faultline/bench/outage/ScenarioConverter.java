package io.faultline.bench.outage;

import java.util.Arrays;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a {@link Scenario} from a command line. */
final class ScenarioConverter implements ITypeConverter<Scenario>, Iterable<String> {

    @Override
    public Scenario convert(String text) {
        return Arrays.stream(Scenario.values())
                .filter(scenario -> scenario.option().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "no scenario is called " + text + "; there are " + Arrays.toString(Scenario.values())));
    }

    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(Scenario.values()).map(Scenario::option).iterator();
    }
}
