# SPDX-License-Identifier: GPL-2.0
#
# gnuplot -e "summary='FILE'; output='FILE.svg'" chart.gp: symphony and its
# peers, medians with quartiles.

set terminal svg noenhanced size 900,480 font "sans-serif,13" background "white"
set output output
devices = "pfifo red red_mark codel fq_codel fq cake symphony sym_red"
labels = 'pfifo "red, idle" "red, marks" codel fq_codel fq cake symphony "sym. + red"'
pick(group, device) = sprintf("< awk '$1 == \"%s\" && $2 == \"%s\"' %s", group, device, summary)

set style fill solid 0.85 border -1
set bars small
set ylabel "ns a packet, enqueue and dequeue"
set yrange [0:260]
set grid ytics
set key top left
set xrange [0.4:9.6]
set xtics ()
do for [i = 1:words(devices)] {
	set xtics add (word(labels, i) i)
}
plot for [i = 1:words(devices)] pick("alone", word(devices, i)) \
		using (i - 0.2):6:5:7:(0.38) with boxerrorbars linecolor rgb "#3b6ea5" \
		title (i == 1 ? "queue of 64 packets" : ""), \
	for [i = 1:words(devices)] pick("one_by_one", word(devices, i)) \
		using (i + 0.2):6:5:7:(0.38) with boxerrorbars linecolor rgb "#e0a030" \
		title (i == 1 ? "one by one" : "")
