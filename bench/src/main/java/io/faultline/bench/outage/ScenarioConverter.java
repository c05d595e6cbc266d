package io.faultline.bench.outage;

import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a {@link Scenario} from a command line. */
final class ScenarioConverter implements ITypeConverter<Scenario>, Iterable<String> {

    @Override
    public Scenario convert(String text) {
        return Scenario.outages().stream()
                .filter(scenario -> scenario.option().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "no scenario is called " + text + "; there are " + Scenario.outages()));
    }

    @Override
    public Iterator<String> iterator() {
        return Scenario.outages().stream().map(Scenario::option).iterator();
    }
}
