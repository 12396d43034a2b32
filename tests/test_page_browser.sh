#!/bin/sh
# test_page_browser.sh: pages as people see them, in headless Chromium: wide and narrow, light and dark, printed, without
# scripts. What is looked at stands in page_browser.js.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML
needs_programs node chromium

# Names that would be tags and scripts if anything let them; long ones, too.
cat >"$tmp/hostile.yaml" <<'END'
carom: 1
name: '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
coordinates: {y: 1}
kinetic: y'^2/2
potential: 10*y
contacts: {a contact with a very long name that goes on and on: {gap: y, restitution: 0.5}}
outputs: {an output that has a name which is much too long for a phone: y^2}
draw: {ball: {circle: [0, y, 0.1], contact: a contact with a very long name that goes on and on}}
run: {t_end: 2}
END
"$CAROM" report "$tmp/hostile.yaml" --title '<script>window.hacked=1</script>' -o "$tmp/hostile.html" --quiet || complain "report of a hostile model"
"$CAROM" report box --schemes tolerance,moreau-jean --t-end 1 -o "$tmp/box.html" --quiet || complain "report of two schemes"
"$CAROM" run woodpecker --t-end 0.3 --quiet -o "$tmp/bird.csv" || complain "run for a file"
"$CAROM" report "$tmp/bird.csv" -o "$tmp/bird.html" --quiet || complain "report of a file"
"$CAROM" report models/bodies/dice.yaml --t-end 0.3 -o "$tmp/dice.html" --quiet || complain "report of bodies in space"
"$CAROM" sweep ball -p e=0.2:0.8:6 -p q.q=1:2:5 --measure max:q --measure impacts --t-end 1 --picture "$tmp/map.html" -o "$tmp/map.csv" --quiet ||
    complain "a sweep as a page"
"$CAROM" bifurcate impact-oscillator -p w=2.6:2.8:12 -p alpha=0 -p umin=0 --transient 20 -o "$tmp/cloud.html" --quiet || complain "a bifurcation diagram as a page"
"$CAROM" reproduce --quick -o "$tmp/papers.html" --quiet || complain "reproduce --quick"

for page in hostile box bird dice map cloud papers; do
    static=0
    ! grep -q 'no script for interactive plots' "$tmp/$page.html" || static=1
    code=0 webgl=0
    [ $page != dice ] || webgl=1
    STATIC=$static WEBGL=$webgl timeout 600 node tests/page_browser.js "$tmp/$page.html" || code=$?
    [ $code != 77 ] || exit 77
    [ $code = 0 ] || complain "$page.html"
done
finish
