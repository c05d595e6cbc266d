package io.faultline.bench.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rows of figures, each of a name and a cell for each column. */
public final class Table {

    private final List<String> columns;
    private final Map<String, List<Object>> rows = new LinkedHashMap<>();

    /**
     * Makes an empty table.
     *
     * @param columns what is above the cells
     */
    public Table(List<String> columns) {
        this.columns = List.copyOf(columns);
    }

    /**
     * Adds a row.
     *
     * @param name what the row says, with its unit
     * @param cells as many as there are columns; numbers stay numbers in JSON
     * @return this
     * @throws IllegalArgumentException if there are more cells, or fewer
     */
    public Table row(String name, List<?> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalArgumentException(cells.size() + " cells for " + columns.size() + " columns: " + name);
        }
        rows.put(name, List.copyOf(cells));
        return this;
    }

    /**
     * Prints it with its columns aligned.
     *
     * @param out where to
     */
    public void print(PrintStream out) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(line("", columns));
        rows.forEach((name, cells) -> lines.add(line(name, cells)));
        int[] widths = new int[columns.size() + 1];
        for (List<String> line : lines) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], line.get(column).length());
            }
        }
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder("  ");
            for (int column = 0; column < widths.length; column++) {
                text.append(line.get(column))
                        .append(" ".repeat(widths[column] - line.get(column).length() + 2));
            }
            out.println(text.toString().stripTrailing());
        }
    }

    /** Each row as a map, the form in which it becomes JSON. */
    List<Map<String, Object>> asMaps() {
        List<Map<String, Object>> maps = new ArrayList<>();
        rows.forEach((name, cells) -> {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("row", name);
            for (int column = 0; column < columns.size(); column++) {
                map.put(columns.get(column), cells.get(column));
            }
            maps.add(map);
        });
        return maps;
    }

    private static List<String> line(String name, List<?> cells) {
        List<String> line = new ArrayList<>();
        line.add(name);
        cells.forEach(cell -> line.add(
                cell instanceof Long || cell instanceof Integer ? String.format("%,d", cell) : String.valueOf(cell)));
        return line;
    }
}
