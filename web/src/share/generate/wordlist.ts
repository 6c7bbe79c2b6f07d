/** 1,024 short words of everyday English, each easy to spell and to say. */
export const wordlist: readonly string[] = `
able acid acorn actor adapt adult agent agile alarm album alert alley alloy almond alpha amber amble ample angel
angle apple apron arena armor arrow ashes aspen atlas atom attic audio aunt autumn awake award axis azure baby
bacon badge bagel baker ball bamboo banana band banjo bark barley barn barrel basil basin basket bath beach
beacon bead beak beam bean bear beard beaver beech beetle bell belt bench berry bike birch bird bison blank
blaze blend blink block bloom blouse blue bluff board boat bold bolt bone bonus book boot border bottle bounce
bowl boxer branch brass brave bread breeze brick bridge brief bright brisk broad bronze brook broom brown brush
bubble bucket budget buffet bugle build bulb bundle bunny burrow bush butter button buyer cabin cable cactus
cage cake camel camera camp canal candle candy canoe canvas canyon cape carbon card cargo carpet carrot carve
castle catch cattle cave cedar celery cello cement center cereal chain chair chalk chapel charm chart chase
cheese cherry chess chest chick chief chip choice choir chorus cider cinema circle citrus city civic clam class
clay clean clerk clever cliff climb cloak clock cloth cloud clover clown coach coal coast cobalt cobra cocoa
coffee coin collar color comet comic cone cook copper coral cord cork corner cosmos cotton couch cougar count
county court cousin cover coyote crab craft crane crater crayon cream creek crest crisp crocus crop cross crowd
crown cruise crumb cube cumin curb curl curry curve custom cycle cymbal daily dairy daisy dance daring dash dawn
deer delta denim depot desert desk diary dinner disco dish diver dock doctor dollar domino donkey door dough
dove draft dragon drama drawer dream dress drift drill drink drive drum duck duet dune dusk duty eager eagle
earth easel east echo edge eight elder ember energy engine entry epic exotic fabric falcon family fancy farm
fast father feast fence fern ferry fiber fiddle field film finch fire fish five flag flame flash flask fleet
flint float flock flood floor flora flour flower fluid flute focus foggy foil folk forest fork forum fossil
frame fresh friend fringe frog frost fruit fudge funnel furry future galaxy gallon game garage garden garlic
garnet gate gauge gecko gentle geyser giant gift ginger glad glass glaze glide globe glory glove glow glue goat
goblet gold golf goose gorge gospel gown grace grain grand grape graph grass gravel green grid grill grin grocer
ground group grove guard guest guide guitar gulf gull hail hall hammer handle harbor harp hatch hawk hazel
heater hedge helium helmet helper herb hermit hero heron hike hill hinge hippo hobby hockey hollow holly home
honey hood hoof hook hope horn horse hotel hour house humor icon igloo impala inch indigo inlet insect invite
iris iron island ivory jacket jade jaguar jazz jeans jelly jersey jewel jigsaw jockey jolly juice jumbo jungle
junior kale kayak kelp kennel kernel kettle kick kiosk kite kitten kiwi knight knit knot koala lace ladder lady
lagoon lake lamb lamp lark laser latch laugh lava lawn layer leader leaf ledge legend lemon lens lentil lesson
letter level lever lift light lily lime limit linen lion lizard llama lobby local locker locust lodge logic
lotus lounge loyal lucky lunar lunch lute lyric magic magma magnet magpie maize mallet mammal mango manor mantle
maple marble march marina market maroon marsh mason match meadow meal medal melody melon menu metal meteor
midday milk mill mimic mint mirror mitten mobile model module monkey month moon moose mosaic moss motel moth
mother mouse movie muffin mural museum music mussel myth napkin nature navy nebula needle neon nephew nest
nettle nickel night nimble nine noble noise noodle north novel nurse nutmeg nylon oasis oboe ocean octave office
olive omega onion onyx opal open opera optic orange orbit orchid order organ otter oval oven oxygen oyster ozone
paddle paint palace palm panda panel pansy papaya paper parade parcel park parrot party pasta pastel pastry path
patio pause peach peak peanut pear pearl pebble pecan pedal pencil penny pepper petal photo piano picnic pigeon
pillow pilot pine pink pipe pixel pizza planet plank plant plate plaza plum plume plush pocket poem poet polar
pollen polo pond pony pool poplar poppy porch port potato powder pride prince print prism prize puddle puffin
pulley pulse puma pupil puppet puppy purple purse puzzle quail quarry quartz quest quick quiet quill quilt
quince quiver quiz quota rabbit race radar radio radish raft rail rain raisin rally ramp ranch range rapid
rattle raven ravine recipe reed reef regal relay relic relish rescue ribbon rice rider ridge ring ripple river
road roast robin robot rocket rodeo roof root rope rose rotor round route rover royal ruby rudder ruler rumba
runner saddle safari sage sail salad salmon salt samba sand satin saturn sauce sauna scale scarf scene school
scout screen scroll seal season seat seed sequel seven shark shawl sheep sheet shelf shell shield shine ship
shirt shoe shore shovel shower shrimp shrub sierra signal silk silver singer sister sitar skate sketch skill
skirt slate sled sleeve slice slide slope smile snack snail snow soap soccer sock sofa soil solar solo sonata
song sonic soup space spade spark sphere spice spider spiral spirit sponge spoon sport spring sprout spruce
square squash squid stable stage stair stamp star statue steam steel stem step stereo stitch stone stool store
stork storm story stove straw stream street string stripe studio subway sugar suit summer summit sunset surf
swan sweet swift swim swing syrup table tablet taco talent tango tape tarp taxi team teapot temple tempo tennis
tent thread three thrill throne thyme ticket tiger tile timber time tiny tissue title toast today toffee token
tomato tonic tool topaz torch toucan towel tower town track trail train travel tray tree trek tribe trio trophy
trout truck trunk tuba tulip tuna tutor twig twin uncle union valve vapor vase vault verse vest vine viola visit
vista vital vivid vocal voice wafer wagon walk wall waltz warm wasp watch water wave week whale wheat wheel
white wind wire wolf wood wool word world worm wren yacht yard yarn year yeast yodel yoga zebra zero zest zinc
zone
`
  .trim()
  .split(/\s+/);
