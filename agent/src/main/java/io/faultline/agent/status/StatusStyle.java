package io.faultline.agent.status;

/** How the status page looks: one column, calm, the same on a phone and on a wall; dark where the reader's machine is. */
final class StatusStyle {

    static final String CSS = """
            :root{color-scheme:light dark;--paper:#f6f7f9;--card:#fff;--ink:#1b1f24;--soft:#59636e;--line:#dfe3e8;
            --alarm:#b3122b;--alarm-soft:#fde8ea;--warning:#8a5300;--warning-soft:#fff1d6;--fine:#17683b;--fine-soft:#e2f4e9;--off:#4a5560;--off-soft:#e8ebee;--socket:#5b84b1;--banner:#b3122b}
            @media(prefers-color-scheme:dark){:root{--paper:#0f1317;--card:#171c22;--ink:#e7ebef;--soft:#98a3ae;--line:#2a323a;
            --alarm:#ff8088;--alarm-soft:#4a141c;--warning:#f2b54b;--warning-soft:#3d2c0c;--fine:#6cd19a;--fine-soft:#11301f;--off:#b4bec8;--off-soft:#262d34;--socket:#7ba7d6;--banner:#8c1022}}
            *{box-sizing:border-box}
            body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
            main,header>div,footer{max-width:70rem;margin:0 auto;padding:0 1.25rem}
            header{padding:1.6rem 0 1.5rem;border-bottom:1px solid var(--line)}
            header.alarm{background:var(--banner);color:#fff;border:0}
            header.warning{background:var(--warning-soft)}header.off{background:var(--off-soft)}header.fine{background:var(--fine-soft)}
            header.fine h1{color:var(--fine)}header.warning h1{color:var(--warning)}header.off h1{color:var(--off)}
            header .where{margin:0 0 .35rem;font-size:.875rem;opacity:.85}
            h1{margin:0;font-size:clamp(1.6rem,5.5vw,2.4rem);line-height:1.15;letter-spacing:-.01em;text-wrap:balance}
            header ul{list-style:none;margin:.7rem 0 0;padding:0}
            header li{overflow-wrap:anywhere;margin:.25rem 0}
            header .next{margin:.9rem 0 0;font-size:.9375rem;opacity:.92}
            header .next b{font-weight:600}
            h2{font-size:1.0625rem;margin:2rem 0 .6rem}
            dl{display:grid;grid-template-columns:repeat(4,1fr);gap:.9rem 1.25rem;margin:1.5rem 0 0}
            dt{font-size:.8125rem;color:var(--soft)}dd{margin:0;font-weight:600;overflow-wrap:anywhere}
            .card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;overflow:hidden}
            table{width:100%;border-collapse:collapse;font-size:.9375rem}
            th{font-size:.8125rem;font-weight:500;color:var(--soft);text-align:left;padding:.6rem .9rem .3rem;white-space:nowrap}
            td{padding:.6rem .9rem;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
            tbody tr:first-child td{border-top:0}thead+tbody tr:first-child td{border-top:1px solid var(--line)}
            td small{display:block;color:var(--soft);font-size:.8125rem}
            td:first-child,.age,.n{white-space:nowrap;font-variant-numeric:tabular-nums}
            .badge{display:inline-block;padding:.08rem .55rem;border-radius:1rem;font-size:.8125rem;font-weight:600;white-space:nowrap;background:var(--off-soft);color:var(--off)}
            .badge.offline,.badge.disk,.badge.failing{background:var(--alarm-soft);color:var(--alarm)}
            .badge.suspect,.badge.transient{background:var(--warning-soft);color:var(--warning)}
            .badge.online{background:var(--fine-soft);color:var(--fine)}
            .plot{padding:.3rem .9rem .8rem}
            .row{display:grid;grid-template-columns:12rem 1fr 4.5rem;align-items:end;gap:.9rem;padding-top:.7rem}
            .row .n{text-align:right;font-weight:600}.row .name{color:var(--soft)}
            .row svg{display:block;width:100%;height:2.25rem}
            .row .base{stroke:var(--line)}
            .disk rect{fill:var(--alarm)}.transient rect{fill:var(--warning)}.socket rect{fill:var(--socket)}.other rect{fill:var(--off)}
            .disk.some .name,.disk.some .n{color:var(--alarm);font-weight:600}.transient.some .name,.transient.some .n{color:var(--warning);font-weight:600}
            .scale{display:flex;justify-content:space-between;font-size:.75rem;color:var(--soft);margin:.25rem 5.4rem 0 12.9rem}
            .none{margin:0;padding:1rem .9rem;color:var(--soft)}
            footer{padding-top:1.75rem;padding-bottom:2rem;color:var(--soft);font-size:.8125rem}
            a{color:inherit}
            @media(max-width:44rem){
            main,header>div,footer{padding-left:1rem;padding-right:1rem}
            thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
            table,tbody,tr,td{display:block}
            tr{padding:.7rem .9rem;border-top:1px solid var(--line)}tbody tr:first-child{border-top:0}
            td,thead+tbody tr:first-child td{border:0;padding:.1rem 0}
            td[data-label]::before{content:attr(data-label) " ";color:var(--soft);font-size:.8125rem}
            td small{display:inline}
            .row{grid-template-columns:1fr auto;gap:.15rem .9rem}.row svg{grid-column:1/3;grid-row:2}
            .scale{margin-left:0;margin-right:0}
            dl{grid-template-columns:1fr 1fr}}
            """;

    private StatusStyle() {}
}
