package io.faultline.bench.suite;

import io.faultline.bench.measure.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A line of the table of all figures.
 *
 * @param name what it is of
 * @param target what it must reach
 * @param result what was found
 * @param interval the 95 % interval of that, or ""
 * @param outcome reached, missed, or not resolvable
 */
record Row(String name, String target, String result, String interval, String outcome) {

    static final String REACHED = "reached";
    static final String MISSED = "missed";

    /** Whether it is neither reached nor missed. */
    boolean isOpen() {
        return !outcome.equals(REACHED) && !outcome.equals(MISSED);
    }

    /** What {@link io.faultline.bench.report.Report} wrote: its figures, and those of its claims that are no figures. */
    static List<Row> of(Map<String, Object> result) {
        List<Row> rows = new ArrayList<>();
        for (Object figures : map(result.get("figures")).values()) {
            for (Object figure : (List<?>) figures) {
                rows.add(ofFigure(map(figure)));
            }
        }
        List<String> figures = rows.stream().map(Row::name).toList();
        for (Object each : (List<?>) result.get("claims")) {
            Map<String, Object> claim = map(each);
            String text = (String) claim.get("claim");
            if (figures.stream().noneMatch(text::startsWith)) {
                rows.add(new Row(text, "", "", "", Boolean.TRUE.equals(claim.get("held")) ? REACHED : MISSED));
            }
        }
        return rows;
    }

    private static Row ofFigure(Map<String, Object> figure) {
        String unit = (String) figure.get("unit");
        String direction = ((String) figure.get("direction")).replace('_', ' ');
        List<?> ends = (List<?>) figure.get("interval");
        return new Row(
                (String) figure.get("figure"),
                direction + " " + digits(figure.get("target")) + " " + unit,
                digits(figure.get("value")) + " " + unit,
                "[" + digits(ends.get(0)) + ", " + digits(ends.get(1)) + "]",
                (String) figure.get("outcome"));
    }

    private static String digits(Object number) {
        return Figure.digits(number == null ? Double.NaN : ((Number) number).doubleValue());
    }

    @SuppressWarnings("unchecked") // of JSON, whose names are strings
    private static Map<String, Object> map(Object json) {
        return (Map<String, Object>) json;
    }
}
