package io.faultline.agent.status;

/** Markup in the making. What is not the page's own goes through {@link #text} and so cannot be taken for markup, inside elements and inside quoted attributes. */
final class Html {

    private final StringBuilder page = new StringBuilder(16 << 10);

    /** Adds markup of the page's own. */
    Html markup(String markup) {
        page.append(markup);
        return this;
    }

    /** Adds text, whatever it contains. */
    Html text(Object text) {
        String plain = String.valueOf(text);
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            switch (c) {
                case '&' -> page.append("&amp;");
                case '<' -> page.append("&lt;");
                case '>' -> page.append("&gt;");
                case '"' -> page.append("&quot;");
                case '\'' -> page.append("&#39;");
                default -> page.append(Character.isISOControl(c) ? '\uFFFD' : c);
            }
        }
        return this;
    }

    @Override
    public String toString() {
        return page.toString();
    }
}
